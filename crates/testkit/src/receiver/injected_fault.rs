//! All faults a receiver can inject, each with the outcome a correct sender reports.
//!
//! The rules for the outcome: once the head is complete, the status decides, and nothing that happens to the body
//! changes it. A connection that ends earlier is `Closed`; one that stalls is a `Timeout`; an invalid head is a
//! `Protocol` fault; too many bytes before the head is complete are `TooLarge`.

use domain::Fault::{Closed, Connect, Protocol, Status, Timeout, Tls, TooLarge};
use domain::Outcome::{self, Delivered, Failed};

/// When a fault is injected. Everything before it is normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Instead of accepting connections.
    Listening,
    /// Instead of the TLS handshake.
    Connected,
    /// In the TLS handshake.
    Handshake,
    /// Instead of reading a request.
    Secured,
    /// Instead of the response to a request, which is read completely and recorded.
    Answer,
    /// As [`Stage::Answer`], in hand-written HTTP/2. The request is not recorded.
    Http2Answer,
}

macro_rules! injected_faults {
    ($($stage:ident { $($variant:ident $name:literal $outcome:expr, $doc:literal;)* })*) => {
        /// A fault to inject.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum InjectedFault { $($(#[doc = $doc] $variant,)*)* }

        impl InjectedFault {
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// Returns its name on the command line and in paths.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)*)* }
            }

            pub fn stage(self) -> Stage {
                match self { $($(Self::$variant => Stage::$stage,)*)* }
            }

            /// Returns the outcome a correct sender reports.
            pub fn expected(self) -> Outcome {
                match self { $($(Self::$variant => $outcome,)*)* }
            }

            /// Returns a description.
            pub fn description(self) -> &'static str {
                match self { $($(Self::$variant => $doc.trim_ascii(),)*)* }
            }
        }
    };
}

injected_faults! {
    Listening {
        Refuse "refuse" Failed(Connect), "The port is closed.";
        NeverAccept "never-accept" Failed(Timeout), "The accept queue is full and never drained.";
    }
    Connected {
        AcceptReset "accept-reset" Failed(Closed), "The connection is reset at once.";
        AcceptClose "accept-close" Failed(Closed), "The connection is closed at once.";
        HandshakeHang "handshake-hang" Failed(Timeout), "The handshake gets no response.";
        HandshakeStall "handshake-stall" Failed(Timeout), "The answer to the handshake stops within its first record.";
        HandshakeReset "handshake-reset" Failed(Closed), "The connection is reset within the handshake.";
        PlainHttp "plain-http" Failed(Tls), "The answer to the handshake is HTTP without TLS.";
        OldTls "old-tls" Failed(Tls), "The server supports only TLS 1.0.";
        OldTlsAlert "old-tls-alert" Failed(Tls), "The server rejects the TLS version with an alert.";
        NoCommonCipher "no-common-cipher" Failed(Tls), "The server rejects all ciphers with an alert.";
    }
    Handshake {
        CertificateExpired "certificate-expired" Failed(Tls), "The certificate has expired.";
        CertificateNotYetValid "certificate-not-yet-valid" Failed(Tls), "The certificate is not valid yet.";
        CertificateWrongName "certificate-wrong-name" Failed(Tls), "The certificate is for another name.";
        CertificateSelfSigned "certificate-self-signed" Failed(Tls), "The certificate is self-signed.";
        CertificateSelfSignedAuthority "certificate-self-signed-authority" Failed(Tls), "The certificate is self-signed, and that of an authority.";
        CertificateUnknownAuthority "certificate-unknown-authority" Failed(Tls), "The certificate's authority is not trusted.";
        CertificateHugeChain "certificate-huge-chain" Failed(Tls), "The chain has hundreds of certificates.";
        AsksForCertificate "asks-for-certificate" Failed(Tls), "A client certificate is required, and its absence is reported after the handshake.";
        AsksForCertificateEarly "asks-for-certificate-early" Failed(Tls), "A client certificate is required, and its absence is reported in the handshake.";
        Http2Only "http2-only" Delivered, "The server supports only HTTP/2, correctly.";
    }
    Secured {
        NeverRead "never-read" Failed(Timeout), "Nothing is read after the handshake.";
        ResetUnread "reset-unread" Failed(Closed), "The connection is reset after the handshake.";
        CloseUnread "close-unread" Failed(Closed), "The connection is closed after the handshake.";
    }
    Answer {
        ResetBeforeAnswer "reset-before-answer" Failed(Closed), "The request is read and the connection is reset.";
        CloseBeforeAnswer "close-before-answer" Failed(Closed), "The request is read and the connection is closed.";
        CutBeforeAnswer "cut-before-answer" Failed(Closed), "The same without a TLS close_notify.";
        ResetWithinStatus "reset-within-status" Failed(Closed), "The connection is reset within the status line.";
        ResetWithinHead "reset-within-head" Failed(Closed), "The connection is reset within the head.";
        CloseWithinHead "close-within-head" Failed(Closed), "The connection is closed within the head.";
        CutWithinHead "cut-within-head" Failed(Closed), "The same without a TLS close_notify.";
        ResetWithinBody "reset-within-body" Delivered, "The connection is reset within the body of a 200.";
        CloseWithinBody "close-within-body" Delivered, "The connection is closed within the body of a 200.";
        ResetAfterAnswer "reset-after-answer" Delivered, "The connection is reset after a complete 200.";
        CloseAfterAnswer "close-after-answer" Delivered, "The connection is closed after a complete 200, although it was keep-alive.";
        CutAfterAnswer "cut-after-answer" Delivered, "The same without a TLS close_notify.";
        CutEndsBody "cut-ends-body" Delivered, "The body of a 200 ends with the connection, without close_notify.";
        HangBeforeAnswer "hang-before-answer" Failed(Timeout), "The request is read and gets no response.";
        HangWithinStatus "hang-within-status" Failed(Timeout), "The answer stops within the status line.";
        HangWithinHead "hang-within-head" Failed(Timeout), "The answer stops within the head.";
        HangWithinBody "hang-within-body" Delivered, "The answer stops within the body of a 200.";
        LateAnswer "late-answer" Failed(Timeout), "A 200 arrives after the sender has given up.";
        DripHead "drip-head" Failed(Timeout), "An endless head arrives byte by byte.";
        DripBody "drip-body" Delivered, "The body of a 200 arrives byte by byte.";
        EndlessBody "endless-body" Delivered, "The body of a 200 never ends.";
        EndlessErrorBody "endless-error-body" Failed(Status), "The body of a 500 never ends.";
        EndlessChunks "endless-chunks" Delivered, "The chunks of a 200 never end.";
        EndlessChunkLine "endless-chunk-line" Delivered, "The length of the first chunk never ends.";
        EndlessTrailers "endless-trailers" Delivered, "The trailers after the chunks of a 200 never end.";
        BadChunks "bad-chunks" Delivered, "The chunks of a 200 are invalid.";
        LengthTooShort "length-too-short" Delivered, "The body of a 200 is longer than its content-length.";
        LengthTooLong "length-too-long" Delivered, "The body of a 200 is shorter than its content-length.";
        LengthInvalid "length-invalid" Failed(Protocol), "The content-length is not a number.";
        LengthTwice "length-twice" Failed(Protocol), "There are two different content-length headers.";
        GzipBomb "gzip-bomb" Delivered, "Ten megabytes that decompress to ten gigabytes, although gzip was not accepted.";
        GzipBombIfAsked "gzip-bomb-if-asked" Delivered, "The same, but only if the sender accepts gzip.";
        GzipBombTransfer "gzip-bomb-transfer" Delivered, "The same as a transfer encoding.";
        Redirect301 "redirect-301" Failed(Status), "A redirect: moved permanently.";
        Redirect302 "redirect-302" Failed(Status), "A redirect: found.";
        Redirect303 "redirect-303" Failed(Status), "A redirect: see other.";
        Redirect307 "redirect-307" Failed(Status), "A redirect: temporary, with the same method.";
        Redirect308 "redirect-308" Failed(Status), "A redirect: permanent, with the same method.";
        RetryAfterAges "retry-after-ages" Failed(Status), "A 429 with a huge retry-after.";
        Status099 "status-099" Failed(Protocol), "A status below 100.";
        Interim "interim" Delivered, "Fifty interim responses, then a 200.";
        InterimForever "interim-forever" Failed(TooLarge), "Endless interim responses.";
        ContinueOnly "continue-only" Failed(Timeout), "A 100 and nothing else.";
        SwitchingProtocols "switching-protocols" Failed(Status), "An unsolicited switch to another protocol.";
        Http09 "http-0.9" Failed(Protocol), "Only a body, as in HTTP/0.9.";
        Http10 "http-1.0" Delivered, "A 200 in HTTP/1.0.";
        BadVersion "bad-version" Failed(Protocol), "A status line with an unknown HTTP version.";
        BadStatus "bad-status" Failed(Protocol), "A status that is not a number.";
        BadStatusLine "bad-status-line" Failed(Protocol), "An invalid status line.";
        BadHeader "bad-header" Failed(Protocol), "A header without a colon.";
        NulHeader "nul-header" Failed(Protocol), "A header with a forbidden byte.";
        NoReason "no-reason" Delivered, "A 200 without the optional reason phrase.";
        EndlessStatusLine "endless-status-line" Failed(TooLarge), "An endless status line.";
        LargeHeader "large-header" Failed(TooLarge), "One header of ten megabytes.";
        ManyHeaders "many-headers" Failed(TooLarge), "Ten thousand headers.";
        LargeHead "large-head" Failed(TooLarge), "A head of 40 KiB in 40 headers.";
    }
    Http2Answer {
        Hang2 "h2-hang" Failed(Timeout), "The request gets no response.";
        Reset2 "h2-reset" Failed(Closed), "The stream is reset.";
        GoAway2 "h2-goaway" Failed(Closed), "The connection is closed with GOAWAY.";
        Garbage2 "h2-garbage" Failed(Protocol), "The response is not a valid frame.";
        NoStatus2 "h2-no-status" Failed(Protocol), "The response head has no status.";
        ResetWithinBody2 "h2-reset-within-body" Delivered, "The stream is reset within the body of a 200.";
        EndlessBody2 "h2-endless-body" Delivered, "The body of a 200 never ends and ignores flow control.";
        EndlessHead2 "h2-endless-head" Failed(TooLarge), "The head continues in endless CONTINUATION frames.";
        EndlessPings2 "h2-endless-pings" Failed(TooLarge), "Endless PING frames.";
        EndlessSettings2 "h2-endless-settings" Failed(TooLarge), "Endless SETTINGS frames.";
    }
}

impl InjectedFault {
    /// Returns whether a correct sender may report this outcome. A few faults allow a second one, depending on
    /// timing.
    pub fn allows(self, outcome: Outcome) -> bool {
        let second = match self {
            // The reset may arrive before the connection is established.
            Self::AcceptReset => Some(Failed(Connect)),
            _ => None,
        };
        outcome == self.expected() || Some(outcome) == second
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}
