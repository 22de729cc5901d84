package dev.rush.redis;

/** What is known about the outcome of a call to Redis without a usable reply. */
public enum OutcomeClass {

    /** The call was not sent, or refused before anything ran. It may be sent again. */
    NOTHING_HAPPENED,

    /** The call was sent and may have run. It must neither be repeated blindly nor undone. */
    UNKNOWN,

    /** A script failed halfway. What it wrote is not rolled back; this is a bug. */
    HALF_DONE
}
