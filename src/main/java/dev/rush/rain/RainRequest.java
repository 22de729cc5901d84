package dev.rush.rain;

import io.quarkus.runtime.annotations.RegisterForReflection;

/** The body of {@code PUT /v1/rains/{rain}} as it was sent; {@link RainDefinition} judges it. */
@RegisterForReflection
record RainRequest(String title, String startsAt, String endsAt, Long limitPerUser,
        String durability, Envelopes envelopes) {

    /** Either the amounts in the order of handing out, or a total to be split. */
    @RegisterForReflection
    record Envelopes(long[] amounts, Long total, Integer count, String split, Long min, Long seed) {
    }
}
