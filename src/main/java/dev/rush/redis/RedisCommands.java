package dev.rush.redis;

import dev.rush.RushConfig;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Single scripts and commands, for all that is not a purchase or a grab. A call that certainly did
 * not run is repeated until the deadline; the result fails with a {@link RedisFailure} only.
 */
@Singleton
public class RedisCommands {

    private static final long BACKOFF_MS = 50;

    private final Router router;
    private final long deadlineNanos;

    @Inject
    RedisCommands(Router router, RushConfig config) {
        this.router = router;
        this.deadlineNanos = config.deadline().toNanos();
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

    private static Loop.Call call(Script script, List<String> keys, List<String> args) {
        return (node, asText) -> {
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

    private static Loop.Call call(String name, String... args) {
        Command command = Command.create(name);
        return (node, asText) -> {
            Request request = Request.cmd(command);
            for (String arg : args) {
                request.arg(arg);
            }
            return request;
        };
    }

    private CompletableFuture<Reply> start(int slot, Loop.Call call) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        Loop loop = router.loop();
        long deadline = System.nanoTime() + deadlineNanos;
        loop.run(() -> attempt(loop, slot, call, deadline, answer));
        return answer;
    }

    private void attempt(Loop loop, int slot, Loop.Call call, long deadline,
            CompletableFuture<Reply> answer) {
        Promise<Response> reply = loop.context().promise();
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
        long timer = loop.context().setTimer(left, late -> reply.tryFail(
                new RedisFailure(OutcomeClass.UNKNOWN, "no reply by the deadline")));
        loop.execute(slot, call).onSuccess(reply::tryComplete).onFailure(reply::tryFail);
        reply.future().onComplete(result -> {
            loop.context().owner().cancelTimer(timer);
            if (result.succeeded()) {
                answer.complete(Reply.of(result.result()));
                return;
            }
            RedisFailure failure = ErrorReplies.classify(result.cause());
            boolean again = failure.outcomeClass() == OutcomeClass.NOTHING_HAPPENED
                    && System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BACKOFF_MS) < deadline;
            if (again) {
                loop.context().setTimer(BACKOFF_MS,
                        ignored -> attempt(loop, slot, call, deadline, answer));
            } else {
                answer.completeExceptionally(failure);
            }
        });
    }
}
