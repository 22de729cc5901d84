package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Connects the pod to Redis and monitors it from then on: reads the cluster topology, opens each
 * event loop's connection to every master (which loads the scripts there), so that no first request
 * waits for one, and checks the number of partitions and the layout of the data. Redis counts as
 * reached once any master is and both checks have succeeded. A master that hangs or is down does
 * not prevent sales on the others.
 */
@Singleton
public class RedisStartup {

    private static final Logger LOG = Logger.getLogger(RedisStartup.class);
    private static final long RETRY_MS = 250;
    private static final long ANSWER_MS = 1000;
    private static final long WARNING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Router router;
    private final PartitionCheck check;
    private final LayoutCheck layouts;
    private final int partitions;
    private final long watchMs;
    private volatile boolean reached;
    private volatile boolean reachable;
    private volatile String cause = "Redis has not answered yet";
    private long nextWarningNanos = System.nanoTime();

    @Inject
    RedisStartup(Router router, PartitionCheck check, LayoutCheck layouts, RushConfig config,
            MeterRegistry registry) {
        this.router = router;
        this.check = check;
        this.layouts = layouts;
        this.partitions = config.partitions();
        this.watchMs = config.redis().watch().toMillis();
        Gauge.builder("rush.redis.reachable", this, self -> self.reachable ? 1 : 0)
                .description("1 while every master answers").register(registry);
    }

    void start(@Observes StartupEvent event) {
        router.background().run(() -> poll(router.all()));
    }

    /**
     * Whether any master was ever reached, with its scripts loaded, and partitions and layout
     * checked.
     */
    public boolean isReached() {
        return reached;
    }

    /** Partitions whose data has a layout unknown to this release. */
    public Set<Integer> refused() {
        return layouts.refused();
    }

    /** Whether this running pod supports the layout of no data any more. */
    public boolean refusesAll() {
        return layouts.refusesAll();
    }

    /** Why some master does not answer, without secrets; empty if all do. */
    String cause() {
        return cause;
    }

    /** Polls topology and masters, and schedules the next poll whatever the result. */
    private void poll(Collection<EventLoopClient> loops) {
        Masters masters = new Masters();
        Future.succeededFuture()
                .compose(begin -> router.read())
                .onFailure(masters::failed)
                .transform(read -> ping(loops, masters))
                .compose(pinged -> check.check(masters.answering()))
                .compose(checked -> layouts(masters))
                .onFailure(masters::failed)
                .onComplete(checked -> {
                    conclude(checked.succeeded(), masters);
                    router.background().context().setTimer(reached ? watchMs : RETRY_MS,
                            again -> poll(reached ? List.of(router.background()) : router.all()));
                });
    }

    /** Checks the layouts; once Redis was reached, a poll does not wait for them. */
    private Future<Void> layouts(Masters masters) {
        Future<Void> checked = layouts.check(masters.answering());
        return reached ? Future.succeededFuture() : checked;
    }

    /** The result of one poll of the masters. */
    private final class Masters {
        private final Set<Endpoint> silent = new HashSet<>();
        private String cause = "";

        /** Records a failure; the first one is reported. */
        void failed(Throwable failure) {
            if (cause.isEmpty()) {
                cause = Causes.of(failure);
            }
        }

        /** The masters that every event loop has reached. */
        Set<Endpoint> answering() {
            Set<Endpoint> answering = new HashSet<>(router.topology().masters());
            answering.removeAll(silent);
            return answering;
        }
    }

    /**
     * Sends one PING to every master, over the connections that these loops' calls use. Completes
     * when all have answered, or at its own limit.
     */
    private Future<Void> ping(Collection<EventLoopClient> loops, Masters masters) {
        List<Future<?>> answers = new ArrayList<>();
        for (EventLoopClient loop : loops) {
            for (Endpoint master : router.topology().masters()) {
                Promise<Response> answer = router.background().context().promise();
                long timer = router.background().context().setTimer(ANSWER_MS,
                        late -> answer.tryFail(new RedisFailure(OutcomeClass.UNKNOWN,
                                master + ": no answer within " + ANSWER_MS + " ms")));
                loop.run(() -> loop.executeOn(master, Command.PING)
                        .onSuccess(answer::tryComplete).onFailure(answer::tryFail));
                answers.add(answer.future().onComplete(done -> {
                    router.background().context().owner().cancelTimer(timer);
                    if (done.failed()) {
                        masters.silent.add(master);
                        masters.failed(done.cause());
                    }
                }));
            }
        }
        return Future.join(answers).<Void>mapEmpty().otherwiseEmpty();
    }

    private void conclude(boolean checked, Masters masters) {
        boolean all = checked && masters.cause.isEmpty();
        if (checked && !reached) {
            reached = true;
            LOG.infof("Redis reached: %d of %d masters, %d partitions",
                    masters.answering().size(), router.topology().masters().size(), partitions);
        } else if (all && !reachable) {
            LOG.info("Every Redis master answers");
        }
        reachable = all;
        cause = masters.cause;
        if (!all && System.nanoTime() - nextWarningNanos >= 0) {
            nextWarningNanos = System.nanoTime() + WARNING_PAUSE_NANOS;
            LOG.warnf(reached ? "Not every Redis master answers: %s" : "No Redis yet: %s", cause);
        }
    }
}
