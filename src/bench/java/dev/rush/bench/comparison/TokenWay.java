package dev.rush.bench.comparison;

import static dev.rush.bench.wire.RedisProtocol.command;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;

/** One list element per unit; popping one buys it. */
final class TokenWay extends Way {
    private static final String TOKENS = "{apple}:tokens";
    private static final int PUSH_SIZE = 1_000;

    TokenWay() {
        super("List of tokens", """
                One list element per unit, stored before the sale; `RPOP` one, nil means sold \
                out; then `LPUSH` the order. Recommended as the lock-free way in articles on \
                Redis list queues with Spring Boot and PHP.""", 2);
    }

    @Override
    void prepare(Resp redis, int shard, int stock) {
        for (int from = 0; from < stock; from += PUSH_SIZE) {
            List<String> push = new ArrayList<>(List.of("LPUSH", TOKENS));
            for (int i = from; i < Math.min(stock, from + PUSH_SIZE); i++) {
                push.add("t" + i);
            }
            redis.command(push.toArray(String[]::new));
        }
    }

    @Override
    Move attempt(int shard, String user, String order) {
        return send(command("RPOP", TOKENS), token -> {
            check(token);
            return token == null ? done(Outcome.SOLD_OUT) : CounterWay.push(order);
        });
    }

    @Override
    long deducted(Resp redis, int shard, int stock) {
        return stock - redis.number("LLEN", TOKENS);
    }

    @Override
    long queued(Resp redis, int shard) {
        return redis.number("LLEN", CounterWay.QUEUE);
    }
}
