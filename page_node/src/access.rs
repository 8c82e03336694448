//! Who may come in: the address that a request was made for, the page that it was made from, and the token.
//!
//! Three ways in are closed. A site elsewhere cannot open a socket here (its `Origin` is not this page's), a name that was made to
//! point here cannot either (without a token `Host` must name this machine), and whoever comes over the network needs the token.

use std::net::{IpAddr, Ipv6Addr};
use thiserror::Error;

/// The shortest token that is worth the name.
const TOKEN_LENGTH: usize = 16;

/// What is wrong with address and token.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AccessError {
    /// No address.
    #[error(
        "parameter \"address\": \"{0}\" is no IP address; 127.0.0.1 for this machine only, 0.0.0.0 for the network"
    )]
    Address(String),
    /// Anybody on the network could drive the robot.
    #[error(
        "address {0} is open to others: give a token, e.g. -p token:=$(openssl rand -hex 16), and open the page with #token=… behind its address"
    )]
    NoToken(IpAddr),
    /// Too easy to guess, or not fit for a header.
    #[error("parameter \"token\" needs {TOKEN_LENGTH} letters, digits, - or _ at least")]
    WeakToken,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// Another name was made to point here.
    #[error("this page is served to this machine only: open it as localhost")]
    Host,
    /// Another site tries to use a visitor's browser.
    #[error("requests from other sites are refused")]
    Origin,
    /// The token is missing or wrong.
    #[error("the token is missing or wrong: open the page with #token=… behind its address")]
    Token,
}

/// The rules for one address.
#[derive(Clone, Debug)]
pub struct Access {
    address: IpAddr,
    token: Option<String>,
}

impl Access {
    /// Beyond this machine a token is needed.
    pub fn new(address: &str, token: &str) -> Result<Access, AccessError> {
        let found = address.parse::<IpAddr>().map_err(|_| AccessError::Address(address.into()))?;
        let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let token = match token {
            "" if found.is_loopback() => None,
            "" => return Err(AccessError::NoToken(found)),
            weak if weak.len() < TOKEN_LENGTH || !weak.chars().all(is_fit) => {
                return Err(AccessError::WeakToken);
            }
            token => Some(token.to_string()),
        };
        Ok(Access { address: found, token })
    }

    /// Where to listen.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Whether a token is asked for.
    pub fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// The header `Host`. Without a token it is all that tells this machine's user from a site whose name points here.
    pub fn check_host(&self, host: Option<&str>) -> Result<(), Refused> {
        if self.token.is_some() || host.is_some_and(is_this_machine) { Ok(()) } else { Err(Refused::Host) }
    }

    /// The header `Origin`, which browsers send with every socket: the page itself, or no browser at all.
    pub fn check_origin(&self, origin: Option<&str>, host: Option<&str>) -> Result<(), Refused> {
        let Some(origin) = origin else { return Ok(()) };
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        match (authority, host) {
            (Some(authority), Some(host)) if authority.eq_ignore_ascii_case(host) => Ok(()),
            _ => Err(Refused::Origin),
        }
    }

    /// The token, compared in a time that says nothing of it.
    pub fn check_token(&self, given: Option<&str>) -> Result<(), Refused> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = given.unwrap_or_default().as_bytes();
        let differing = token.bytes().zip(given.iter().chain(std::iter::repeat(&0)));
        let differing = differing.fold(token.len() ^ given.len(), |all, (a, b)| all | usize::from(a ^ b));
        if differing == 0 { Ok(()) } else { Err(Refused::Token) }
    }
}

/// Whether a `Host` is a name of this machine's own that no other machine can have.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, _port)) => return inside.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback()),
        None => host.rsplit_once(':').map_or(host, |(name, _port)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOKEN: &str = "0123456789abcdef";

    #[test]
    fn beyond_this_machine_a_token_is_needed_that_cannot_be_guessed() {
        assert!(Access::new("127.0.0.1", "").is_ok_and(|a| !a.needs_token()));
        assert!(Access::new("::1", "").is_ok());
        for open in ["0.0.0.0", "192.168.1.7", "::"] {
            let why = Access::new(open, "").unwrap_err();
            assert!(matches!(why, AccessError::NoToken(_)) && why.to_string().contains("token"), "{why}");
            assert_eq!(Access::new(open, "short").unwrap_err(), AccessError::WeakToken);
            assert!(Access::new(open, TOKEN).is_ok());
        }
        assert_eq!(Access::new("127.0.0.1", "0123456789abcde ").unwrap_err(), AccessError::WeakToken);
        assert!(Access::new("robot", TOKEN).unwrap_err().to_string().contains("robot"));
    }

    #[test]
    fn without_a_token_only_names_of_this_machine_are_served() {
        let access = Access::new("127.0.0.1", "").unwrap();
        for good in
            ["localhost", "localhost:8090", "LOCALHOST:1", "127.0.0.1:8090", "127.9.9.9", "[::1]:8090"]
        {
            assert_eq!(access.check_host(Some(good)), Ok(()), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example:8090",
            "127.0.0.1.evil.example",
            "[::2]:8090",
            "",
            "10.0.0.1",
        ] {
            assert_eq!(access.check_host(Some(bad)), Err(Refused::Host), "{bad}");
        }
        assert_eq!(access.check_host(None), Err(Refused::Host));
        assert_eq!(Access::new("0.0.0.0", TOKEN).unwrap().check_host(Some("pony.local:8090")), Ok(()));
    }

    #[test]
    fn another_site_is_refused_and_so_is_a_page_without_a_site() {
        let access = Access::new("127.0.0.1", "").unwrap();
        let check = |origin| access.check_origin(origin, Some("localhost:8090"));
        assert_eq!((check(None), check(Some("http://localhost:8090"))), (Ok(()), Ok(())));
        for bad in [
            "null",
            "http://evil.example",
            "http://localhost:8091",
            "http://localhost:8090.evil.example",
            "ftp://localhost:8090",
        ] {
            assert_eq!(check(Some(bad)), Err(Refused::Origin), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn only_the_token_is_the_token(given in "[ -~]{0,40}") {
            let access = Access::new("0.0.0.0", TOKEN).unwrap();
            prop_assert_eq!(access.check_token(Some(&given)).is_ok(), given == TOKEN);
        }

        #[test]
        fn no_part_of_it_is_enough(length in 0..TOKEN.len(), rest in "[a-f0-9]{0,20}") {
            let access = Access::new("0.0.0.0", TOKEN).unwrap();
            let given = format!("{}{rest}", &TOKEN[..length]);
            prop_assert_eq!(access.check_token(Some(&given)).is_ok(), given == TOKEN);
            prop_assert!(access.check_token(None).is_err() && access.check_token(Some(TOKEN)).is_ok());
        }
    }
}
