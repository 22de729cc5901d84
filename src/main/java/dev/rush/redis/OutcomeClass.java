package dev.rush.redis;

/** What is known of a call to Redis that gave no reply to use. */
public enum OutcomeClass {

    /** The call was not sent, or refused before anything ran. It may be sent again. */
    NOTHING_HAPPENED,

    /** The call was sent and may have run. It must neither be repeated blindly nor undone. */
    UNKNOWN,

    /** A script failed on its way. What it wrote stays written; this is a defect. */
    HALF_DONE
}
