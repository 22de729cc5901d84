package dev.rush.bench.comparison;

import java.util.function.Function;
import java.util.function.Supplier;

/** The next step of an attempt to buy one unit. */
sealed interface Move {

    /** How an attempt ended. */
    enum Outcome {
        /** The client believes that it has bought a unit. */
        SOLD,
        /** The client believes that nothing is left. */
        SOLD_OUT,
        /** Another client was faster; nothing was bought. */
        CONFLICT,
        /** The lock could not be acquired in time; nothing was bought. */
        BUSY,
        /** The client died during the attempt, as injected. */
        DIED
    }

    /**
     * Sends a message, awaits its replies and continues with the last one.
     *
     * @param message one or more commands: one round trip
     * @param replies how many replies the message has
     */
    record Send(byte[] message, int replies, Function<Object, Move> then) implements Move {
    }

    /** Waits, then continues. */
    record Wait(long nanos, Supplier<Move> then) implements Move {
    }

    /** The attempt has ended. */
    record Done(Outcome outcome) implements Move {
    }
}
