package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Layout;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs single scripts and commands, for everything except purchases and grabs. A call that
 * certainly did not run is repeated until the deadline, or a few times if Redis takes no writes;
 * the result fails only with a {@link RedisFailure}. A call that failed as {@link
 * OutcomeClass#NOTHING_HAPPENED} is never sent later.
 */
@Singleton
public class RedisCommands {

    private static final long BACKOFF_MS = 50;
    /** The reply of a script that arrived after its deadline. */
    private static final String LATE = "late";

    private final Router router;
    private final long deadlineNanos;
    private final int callsMax;

    @Inject
    RedisCommands(Router router, RushConfig config) {
        this.router = router;
        this.deadlineNanos = config.deadline().toNanos();
        this.callsMax = config.redis().calls();
    }

    /** Runs a script. */
    public CompletableFuture<Reply> script(Script script, Keys keys, List<String> args) {
        return start(keys, call(script, keys, args));
    }

    /**
     * As {@link #script}, but completes once the replicas of the partition's master have what it
     * wrote. If too few confirm, the outcome is unknown.
     */
    public CompletableFuture<Reply> replicatedScript(
            Script script, Keys keys, List<String> args) {
        return start(keys, call(script, keys, args), true);
    }

    /**
     * Runs a script that changes something for a waiting caller. Its first argument is the
     * deadline, after which it does nothing: a call with unknown outcome is decided by then, even
     * if it reached a Redis that hangs.
     */
    public CompletableFuture<Reply> change(Script script, Keys keys, List<String> args) {
        return start(keys, new Change(script, keys, args));
    }

    private static Body call(Script script, Keys keys, List<String> args) {
        return (node, asText, deadline) -> {
            Request request = script.request(keys, asText);
            args.forEach(request::arg);
            return request;
        };
    }

    /** Runs a command, for example {@code "XLEN"}; its keys come before its arguments. */
    public CompletableFuture<Reply> command(String name, Keys keys, @Nullable String... args) {
        Command command = Command.create(name);
        return start(keys, (node, asText, deadline) -> {
            Request request = Request.cmd(command);
            keys.texts().forEach(request::arg);
            for (String arg : args) {
                request.arg(arg);
            }
            return request;
        });
    }

    /**
     * Runs a command that reads what scripts have written, and then checks that this release
     * supports its layout; fails if not. A layout only grows, so the data that was read before the
     * check is covered too.
     */
    public CompletableFuture<Reply> read(String name, Keys keys, String... args) {
        Keys layoutKey = keys.partition().keys().named(Layout.NAME);
        return command(name, keys, args).thenCompose(read -> read.size() == 0
                ? CompletableFuture.completedFuture(read)
                : command("GET", layoutKey).thenApply(layout -> {
                    if (!Layout.isKnown(layout.text())) {
                        router.unknownLayout(keys.partition().slot());
                        throw new RedisFailure(OutcomeClass.NOTHING_HAPPENED,
                                Layout.ERROR + " " + layout);
                    }
                    return read;
                }));
    }

    private CompletableFuture<Reply> start(Keys keys, Body body) {
        return start(keys, body, false);
    }

    private CompletableFuture<Reply> start(Keys keys, Body body, boolean replicated) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        EventLoopClient loop = router.loop();
        long deadline = System.nanoTime() + deadlineNanos;
        loop.run(() -> new Waiting(loop, keys.partition().slot(), body, replicated, deadline,
                answer).begin());
        return answer;
    }

    /** Creates the request of a call. */
    @FunctionalInterface
    private interface Body {
        Request request(Node node, boolean asText, long deadlineNanos);

        /** Whether a reply says that the call came after its deadline and ran nothing. */
        default boolean isLate(Reply reply) {
            return false;
        }
    }

    /** A script whose first argument is its deadline. */
    private record Change(Script script, Keys keys, List<String> args) implements Body {

        @Override
        public Request request(Node node, boolean asText, long deadlineNanos) {
            // If the clock was set while this connection was idle, only the first try is late.
            node.readClock();
            Request request = script.request(keys, asText);
            request.arg(node.clock().toRedisMillis(deadlineNanos));
            args.forEach(request::arg);
            return request;
        }

        @Override
        public boolean isLate(Reply reply) {
            return LATE.equals(reply.text());
        }
    }

    /** A call with a waiting caller, until its deadline. */
    private final class Waiting extends Call {
        private final EventLoopClient loop;
        private final int slot;
        private final Body body;
        private final boolean replicated;
        private final long deadline;
        private final CompletableFuture<Reply> answer;
        /** How often Redis has answered that it takes no writes. */
        private int lastingFailures;

        Waiting(EventLoopClient loop, int slot, Body body, boolean replicated, long deadline,
                CompletableFuture<Reply> answer) {
            this.loop = loop;
            this.slot = slot;
            this.body = body;
            this.replicated = replicated;
            this.deadline = deadline;
            this.answer = answer;
        }

        @Override
        protected @Nullable Request request(Node node, boolean asText) {
            return answer.isDone() ? null : body.request(node, asText, deadline);
        }

        @Override
        protected boolean isReplicated() {
            return replicated;
        }

        void begin() {
            if (!loop.enter(callsMax)) {
                answer.completeExceptionally(new RedisFailure(
                        OutcomeClass.NOTHING_HAPPENED, "too many calls are in flight"));
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
                if (result.failed()) {
                    failed(ErrorReplies.classify(result.cause()));
                    return;
                }
                Reply reply = Reply.of(result.result());
                if (body.isLate(reply)) {
                    written(false);
                    failed(new RedisFailure(
                            OutcomeClass.NOTHING_HAPPENED, "it reached Redis after its deadline"));
                } else {
                    answer.complete(reply);
                }
            });
        }

        private void failed(RedisFailure failure) {
            boolean again = failure.outcomeClass() == OutcomeClass.NOTHING_HAPPENED
                    && !answer.isDone() && System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(BACKOFF_MS) - deadline < 0
                    && (!failure.isLasting() || ++lastingFailures < RedisFailure.LASTING_TRIES);
            if (again) {
                loop.context().setTimer(BACKOFF_MS, ignored -> attempt());
            } else {
                answer.completeExceptionally(failure);
            }
        }
    }
}
