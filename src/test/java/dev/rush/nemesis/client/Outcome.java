package dev.rush.nemesis.client;

/** What a client knows about a call after it. */
public enum Outcome {
    /** The call succeeded. */
    OK,
    /** 4xx: the call was refused for a reason. Nothing happened. */
    REFUSED,
    /** 503, or the connection was refused. Nothing happened. */
    UNAVAILABLE,
    /** 504, or the connection was lost: the call may have taken effect. */
    UNKNOWN,
    /** 500: a defect. */
    FAILED
}
