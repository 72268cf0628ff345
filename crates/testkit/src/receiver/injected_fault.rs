//! Everything a receiver may do to whoever sends to it, and what a correct sender calls each of them. One table.
//!
//! The rules behind the last column: the status decides, once the head has been read to its end, and nothing that happens to
//! the body changes that; a connection that ends before is closed, one that stands still is a timeout, a head that is none is
//! a fault of protocol, and more bytes than any answer needs before its head has ended are too large.

use domain::Fault::{Closed, Connect, Protocol, Status, Timeout, Tls, TooLarge};
use domain::Outcome::{self, Delivered, Failed};

/// When a trick is played. What comes before it happens as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Instead of taking connections.
    Listening,
    /// Instead of the TLS handshake.
    Connected,
    /// In the handshake, by what is shown there.
    Handshake,
    /// Instead of reading a request.
    Secured,
    /// Instead of the answer to a request, which was read to its end and is in the ledger.
    Answer,
    /// The same in HTTP/2, which is spoken by hand then and leaves nothing in the ledger.
    Http2Answer,
}

macro_rules! injected_faults {
    ($($stage:ident { $($variant:ident $name:literal $outcome:expr, $doc:literal;)* })*) => {
        /// One way to treat a sender badly, or oddly.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum InjectedFault { $($(#[doc = $doc] $variant,)*)* }

        impl InjectedFault {
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// What it is called on the command line and in paths.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)*)* }
            }

            pub fn stage(self) -> Stage {
                match self { $($(Self::$variant => Stage::$stage,)*)* }
            }

            /// What a correct sender makes of it.
            pub fn expected(self) -> Outcome {
                match self { $($(Self::$variant => $outcome,)*)* }
            }

            /// What it does, in a sentence.
            pub fn description(self) -> &'static str {
                match self { $($(Self::$variant => $doc.trim_ascii(),)*)* }
            }
        }
    };
}

injected_faults! {
    Listening {
        Refuse "refuse" Failed(Connect), "The port is closed.";
        NeverAccept "never-accept" Failed(Timeout), "The queue of connections is full, and nobody takes one from it.";
    }
    Connected {
        AcceptReset "accept-reset" Failed(Closed), "The connection is reset at once.";
        AcceptClose "accept-close" Failed(Closed), "The connection is closed at once.";
        HandshakeHang "handshake-hang" Failed(Timeout), "The handshake is never answered.";
        HandshakeStall "handshake-stall" Failed(Timeout), "The answer to the handshake stops within its first record.";
        HandshakeReset "handshake-reset" Failed(Closed), "The connection is reset within the handshake.";
        PlainHttp "plain-http" Failed(Tls), "The answer to the handshake is HTTP without TLS.";
        OldTls "old-tls" Failed(Tls), "It speaks TLS 1.0 and nothing newer.";
        OldTlsAlert "old-tls-alert" Failed(Tls), "It refuses the version of TLS with an alert.";
        NoCommonCipher "no-common-cipher" Failed(Tls), "It refuses all ciphers with an alert.";
    }
    Handshake {
        CertificateExpired "certificate-expired" Failed(Tls), "The certificate has expired.";
        CertificateNotYetValid "certificate-not-yet-valid" Failed(Tls), "The certificate is not valid yet.";
        CertificateWrongName "certificate-wrong-name" Failed(Tls), "The certificate is for another name.";
        CertificateSelfSigned "certificate-self-signed" Failed(Tls), "The certificate is signed by itself.";
        CertificateUnknownAuthority "certificate-unknown-authority" Failed(Tls), "The certificate's authority is not trusted.";
        CertificateHugeChain "certificate-huge-chain" Failed(Tls), "The certificate comes with hundreds of others.";
        AsksForCertificate "asks-for-certificate" Failed(Tls), "A client certificate is required, and missed after the handshake.";
        AsksForCertificateEarly "asks-for-certificate-early" Failed(Tls), "A client certificate is required, and missed in the handshake.";
        Http2Only "http2-only" Delivered, "It speaks HTTP/2 only, and well.";
    }
    Secured {
        NeverRead "never-read" Failed(Timeout), "Nothing is read after the handshake.";
        ResetUnread "reset-unread" Failed(Closed), "The connection is reset after the handshake.";
        CloseUnread "close-unread" Failed(Closed), "The connection is closed after the handshake.";
    }
    Answer {
        ResetBeforeAnswer "reset-before-answer" Failed(Closed), "The request is read, and the connection reset.";
        CloseBeforeAnswer "close-before-answer" Failed(Closed), "The request is read, and the connection closed.";
        CutBeforeAnswer "cut-before-answer" Failed(Closed), "The same without the farewell that TLS asks for.";
        ResetWithinStatus "reset-within-status" Failed(Closed), "The connection is reset within the status line.";
        ResetWithinHead "reset-within-head" Failed(Closed), "The connection is reset within the head.";
        CloseWithinHead "close-within-head" Failed(Closed), "The connection is closed within the head.";
        CutWithinHead "cut-within-head" Failed(Closed), "The same without the farewell that TLS asks for.";
        ResetWithinBody "reset-within-body" Delivered, "The connection is reset within the body of a 200.";
        CloseWithinBody "close-within-body" Delivered, "The connection is closed within the body of a 200.";
        ResetAfterAnswer "reset-after-answer" Delivered, "The connection is reset after a whole 200.";
        CloseAfterAnswer "close-after-answer" Delivered, "The connection is closed after a whole 200, against what it said.";
        CutAfterAnswer "cut-after-answer" Delivered, "The same without the farewell that TLS asks for.";
        CutEndsBody "cut-ends-body" Delivered, "The body of a 200 ends where the connection does, without farewell.";
        HangBeforeAnswer "hang-before-answer" Failed(Timeout), "The request is read and never answered.";
        HangWithinStatus "hang-within-status" Failed(Timeout), "The answer stops within the status line.";
        HangWithinHead "hang-within-head" Failed(Timeout), "The answer stops within the head.";
        HangWithinBody "hang-within-body" Delivered, "The answer stops within the body of a 200.";
        LateAnswer "late-answer" Failed(Timeout), "A 200 comes when the sender has given up.";
        DripHead "drip-head" Failed(Timeout), "A head without end comes byte by byte.";
        DripBody "drip-body" Delivered, "The body of a 200 comes byte by byte.";
        EndlessBody "endless-body" Delivered, "The body of a 200 never ends.";
        EndlessErrorBody "endless-error-body" Failed(Status), "The body of a 500 never ends.";
        EndlessChunks "endless-chunks" Delivered, "The chunks of a 200 never end.";
        EndlessChunkLine "endless-chunk-line" Delivered, "The first chunk's length is a number without end.";
        EndlessTrailers "endless-trailers" Delivered, "The trailers after the chunks of a 200 never end.";
        BadChunks "bad-chunks" Delivered, "The chunks of a 200 are none.";
        LengthTooShort "length-too-short" Delivered, "The body of a 200 is longer than its length says.";
        LengthTooLong "length-too-long" Delivered, "The body of a 200 is shorter than its length says.";
        LengthInvalid "length-invalid" Failed(Protocol), "The length of the body is no number.";
        LengthTwice "length-twice" Failed(Protocol), "There are two lengths of the body, which differ.";
        GzipBomb "gzip-bomb" Delivered, "Ten megabytes that unpack to ten gigabytes, though nobody asked for gzip.";
        GzipBombIfAsked "gzip-bomb-if-asked" Delivered, "The same, but only to who accepts gzip.";
        GzipBombTransfer "gzip-bomb-transfer" Delivered, "The same as an encoding of the transfer.";
        Redirect301 "redirect-301" Failed(Status), "A redirect: moved permanently.";
        Redirect302 "redirect-302" Failed(Status), "A redirect: found.";
        Redirect303 "redirect-303" Failed(Status), "A redirect: see other.";
        Redirect307 "redirect-307" Failed(Status), "A redirect: temporary, with the same method.";
        Redirect308 "redirect-308" Failed(Status), "A redirect: permanent, with the same method.";
        RetryAfterAges "retry-after-ages" Failed(Status), "A 429 that asks to come back after ages.";
        Status099 "status-099" Failed(Protocol), "A status below all classes.";
        Interim "interim" Delivered, "Fifty interim answers, then a 200.";
        InterimForever "interim-forever" Failed(TooLarge), "Interim answers without end.";
        ContinueOnly "continue-only" Failed(Timeout), "It asks to continue, and says nothing more.";
        SwitchingProtocols "switching-protocols" Failed(Status), "It changes to another protocol, unasked.";
        Http09 "http-0.9" Failed(Protocol), "A body and nothing else, as in HTTP/0.9.";
        Http10 "http-1.0" Delivered, "A 200 in HTTP/1.0.";
        BadVersion "bad-version" Failed(Protocol), "A status line of a version that does not exist.";
        BadStatus "bad-status" Failed(Protocol), "A status that is no number.";
        BadStatusLine "bad-status-line" Failed(Protocol), "A status line that is none.";
        BadHeader "bad-header" Failed(Protocol), "A header without a colon.";
        NulHeader "nul-header" Failed(Protocol), "A header with a byte that is never allowed.";
        NoReason "no-reason" Delivered, "A 200 without a reason, which is optional.";
        EndlessStatusLine "endless-status-line" Failed(TooLarge), "A status line without end.";
        LargeHeader "large-header" Failed(TooLarge), "One header of ten megabytes.";
        ManyHeaders "many-headers" Failed(TooLarge), "Ten thousand headers.";
        LargeHead "large-head" Failed(TooLarge), "A head of 40 KiB in 40 headers.";
    }
    Http2Answer {
        Hang2 "h2-hang" Failed(Timeout), "The request is never answered.";
        Reset2 "h2-reset" Failed(Closed), "The stream is reset.";
        GoAway2 "h2-goaway" Failed(Closed), "The whole connection is given up.";
        Garbage2 "h2-garbage" Failed(Protocol), "The answer is no frame.";
        NoStatus2 "h2-no-status" Failed(Protocol), "The head of the answer has no status.";
        ResetWithinBody2 "h2-reset-within-body" Delivered, "The stream is reset within the body of a 200.";
        EndlessBody2 "h2-endless-body" Delivered, "The body of a 200 never ends, whatever the window says.";
        EndlessHead2 "h2-endless-head" Failed(TooLarge), "The head goes on in further frames without end.";
        EndlessPings2 "h2-endless-pings" Failed(TooLarge), "Nothing but pings.";
        EndlessSettings2 "h2-endless-settings" Failed(TooLarge), "Nothing but settings.";
    }
}

impl InjectedFault {
    /// Whether a correct sender may make this of it. There is a second answer where the first depends on who is faster.
    pub fn allows(self, outcome: Outcome) -> bool {
        let second = match self {
            // The reset may overtake the news that there is a connection.
            Self::AcceptReset => Some(Failed(Connect)),
            _ => None,
        };
        outcome == self.expected() || Some(outcome) == second
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}
