package dev.rush.nemesis.client;

/** What a client knows after a call. */
public enum Outcome {
    /** It was done. */
    OK,
    /** It was refused for a reason: 4xx. Nothing happened. */
    REFUSED,
    /** The service could not do it: 503, or no connection. Nothing happened. */
    UNAVAILABLE,
    /** 504, or the connection was lost: it may have happened, never taken for a failure. */
    UNKNOWN,
    /** 500: a defect. */
    FAILED
}
