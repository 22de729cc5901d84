package dev.rush.bench.comparison;

import java.util.function.Function;
import java.util.function.Supplier;

/** What a client does next in its attempt to buy one unit. */
sealed interface Move {

    /** How an attempt ended. */
    enum Outcome {
        /** The client believes that it has bought. */
        SOLD,
        /** The client was told that nothing is left. */
        SOLD_OUT,
        /** Another client was quicker; nothing was bought. */
        CONFLICT,
        /** The lock could not be acquired in time; nothing was bought. */
        BUSY,
        /** The client died on the way, as the experiment wanted. */
        DIED
    }

    /**
     * Sends a message, awaits so many replies and goes on with the last one.
     *
     * @param message one command or several in one go: one round trip
     */
    record Send(byte[] message, int replies, Function<Object, Move> then) implements Move {
    }

    /** Waits, then goes on. */
    record Wait(long nanos, Supplier<Move> then) implements Move {
    }

    /** The attempt has ended. */
    record Done(Outcome outcome) implements Move {
    }
}
