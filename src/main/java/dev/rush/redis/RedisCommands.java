package dev.rush.redis;

import dev.rush.RushConfig;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Single scripts and commands, for all that is not a purchase or a grab. A call that certainly did
 * not run is repeated until the deadline; the result fails with a {@link RedisFailure} only. A call
 * that failed as {@link OutcomeClass#NOTHING_HAPPENED} is never sent later.
 */
@Singleton
public class RedisCommands {

    private static final long BACKOFF_MS = 50;

    private final Router router;
    private final long deadlineNanos;
    private final int callsMax;

    @Inject
    RedisCommands(Router router, RushConfig config) {
        this.router = router;
        this.deadlineNanos = config.deadline().toNanos();
        this.callsMax = config.redis().calls();
    }

    /** Runs a script over keys of one partition. */
    public CompletableFuture<Reply> script(
            Script script, Partition partition, List<String> keys, List<String> args) {
        return start(partition.slot(), call(script, keys, args));
    }

    /** Runs a script over keys of one hash tag that belong to no partition. */
    public CompletableFuture<Reply> scriptOnKeys(
            Script script, List<String> keys, List<String> args) {
        return start(Slots.of(keys.get(0)), call(script, keys, args));
    }

    private static Body call(Script script, List<String> keys, List<String> args) {
        return asText -> {
            Request request = asText ? Request.cmd(Command.EVAL).arg(script.text())
                    : Request.cmd(Command.EVALSHA).arg(script.sha1());
            request.arg(keys.size());
            keys.forEach(request::arg);
            args.forEach(request::arg);
            return request;
        };
    }

    /** Runs a command over keys of one partition, for example {@code "XLEN", key}. */
    public CompletableFuture<Reply> command(Partition partition, String name, String... args) {
        return start(partition.slot(), call(name, args));
    }

    /** Runs a command on one key that belongs to no partition. */
    public CompletableFuture<Reply> commandOnKey(String key, String name, String... args) {
        return start(Slots.of(key), call(name, args));
    }

    /** The answers of calls that are under way at once, in their order. */
    public static <T> CompletableFuture<List<T>> together(List<CompletableFuture<T>> calls) {
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(done -> calls.stream().map(CompletableFuture::join).toList());
    }

    private static Body call(String name, String... args) {
        Command command = Command.create(name);
        return asText -> {
            Request request = Request.cmd(command);
            for (String arg : args) {
                request.arg(arg);
            }
            return request;
        };
    }

    private CompletableFuture<Reply> start(int slot, Body body) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        Loop loop = router.loop();
        long deadline = System.nanoTime() + deadlineNanos;
        loop.run(() -> new Waiting(loop, slot, body, deadline, answer).begin());
        return answer;
    }

    /** Makes the request of a call. */
    @FunctionalInterface
    private interface Body {
        Request request(boolean asText);
    }

    /** A call whose answer somebody waits for, until its deadline. */
    private final class Waiting extends Call {
        private final Loop loop;
        private final int slot;
        private final Body body;
        private final long deadline;
        private final CompletableFuture<Reply> answer;

        Waiting(Loop loop, int slot, Body body, long deadline, CompletableFuture<Reply> answer) {
            this.loop = loop;
            this.slot = slot;
            this.body = body;
            this.deadline = deadline;
            this.answer = answer;
        }

        @Override
        Request request(Node node, boolean asText) {
            return answer.isDone() ? null : body.request(asText);
        }

        void begin() {
            if (!loop.enter(callsMax)) {
                answer.completeExceptionally(new RedisFailure(
                        OutcomeClass.NOTHING_HAPPENED, "too many calls are under way"));
                return;
            }
            long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            long timer = loop.context().setTimer(left, late -> answer.completeExceptionally(
                    new RedisFailure(mayHaveRun() ? OutcomeClass.UNKNOWN
                            : OutcomeClass.NOTHING_HAPPENED, "no reply by the deadline")));
            answer.whenComplete((done, failure) -> {
                loop.leave();
                loop.context().owner().cancelTimer(timer);
            });
            attempt();
        }

        private void attempt() {
            loop.execute(slot, this).onComplete(result -> {
                if (result.succeeded()) {
                    answer.complete(Reply.of(result.result()));
                    return;
                }
                RedisFailure failure = ErrorReplies.classify(result.cause());
                boolean again = failure.outcomeClass() == OutcomeClass.NOTHING_HAPPENED
                        && !answer.isDone() && System.nanoTime()
                        + TimeUnit.MILLISECONDS.toNanos(BACKOFF_MS) - deadline < 0;
                if (again) {
                    loop.context().setTimer(BACKOFF_MS, ignored -> attempt());
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }
    }
}
