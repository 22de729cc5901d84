package dev.rush.redis;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;

/**
 * Brings the pod into touch with Redis: reads the cluster's picture, opens each event loop's
 * connection to every master (which loads the scripts there), so that no first request waits for
 * one, and checks the number of partitions. Until that has succeeded once, the pod is not ready.
 * A different number of partitions ends the process: going on would look for every key in the
 * wrong place.
 */
@Singleton
public class RedisStartup {

    private static final Logger LOG = Logger.getLogger(RedisStartup.class);
    private static final String PARTITIONS_KEY = "rush:partitions";
    private static final long RETRY_MS = 250;
    private static final long WATCH_MS = 1000;

    private final Router router;
    private final RedisCommands commands;
    private final int partitions;
    private volatile boolean reached;
    private volatile boolean reachable;

    @Inject
    RedisStartup(Router router, RedisCommands commands, RushConfig config,
            MeterRegistry registry) {
        this.router = router;
        this.commands = commands;
        this.partitions = config.partitions();
        Gauge.builder("rush.redis.reachable", this, self -> self.reachable ? 1 : 0)
                .description("1 while every master answers").register(registry);
    }

    void start(@Observes StartupEvent event) {
        router.background().run(this::attempt);
    }

    /** Whether Redis was reached, its scripts loaded and its partitions checked, once. */
    public boolean isReached() {
        return reached;
    }

    private void attempt() {
        router.read().compose(done -> touchMasters(router.all())).onComplete(result -> {
            if (result.failed()) {
                LOG.debugf("Redis is not there yet: %s", result.cause().getMessage());
                router.background().context().setTimer(RETRY_MS, again -> attempt());
                return;
            }
            checkPartitions();
        });
    }

    /** One PING to every master, over the connections that these loops' calls will use. */
    private Future<Void> touchMasters(Collection<Loop> loops) {
        List<Future<?>> answers = new ArrayList<>();
        for (Loop loop : loops) {
            for (String master : router.topology().masters()) {
                Promise<Response> answer = router.background().context().promise();
                loop.run(() -> loop.executeOn(master,
                        (node, asText) -> Request.cmd(Command.PING)).onComplete(answer));
                answers.add(answer.future());
            }
        }
        return Future.all(answers).mapEmpty();
    }

    private void checkPartitions() {
        String wanted = Integer.toString(partitions);
        // Read first: a Redis that is full refuses to set even what is set already.
        commands.commandOnKey(PARTITIONS_KEY, "GET", PARTITIONS_KEY)
                .thenCompose(known -> !known.isNull() ? CompletableFuture.completedFuture(known)
                        : commands.commandOnKey(PARTITIONS_KEY, "SET", PARTITIONS_KEY, wanted, "NX")
                                .thenCompose(set -> commands.commandOnKey(
                                        PARTITIONS_KEY, "GET", PARTITIONS_KEY)))
                .whenComplete((found, failure) -> {
                    if (failure != null) {
                        Throwable cause = failure instanceof CompletionException
                                ? failure.getCause() : failure;
                        LOG.debugf("Redis is not there yet: %s", cause.getMessage());
                        router.background().context().setTimer(RETRY_MS, again -> attempt());
                    } else if (!wanted.equals(found.text())) {
                        LOG.fatalf("This Redis was set up with rush.partitions=%s, not %s. "
                                + "Start with that number.", found.text(), wanted);
                        io.quarkus.runtime.Quarkus.asyncExit(1);
                    } else {
                        ready();
                    }
                });
    }

    private void ready() {
        reachable = true;
        reached = true;
        LOG.infof("Redis reached: %d masters, %d partitions",
                router.topology().masters().size(), partitions);
        router.background().context().setPeriodic(WATCH_MS, ignored ->
                touchMasters(List.of(router.background())).onComplete(result -> {
                    reachable = result.succeeded();
                    if (result.failed()) {
                        router.refresh();
                    }
                }));
    }
}
