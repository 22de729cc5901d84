package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.Position;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Feeds Kafka from the journal, on the leading pod and on a dedicated thread. The position moves
 * once the brokers have acknowledged everything before it, so the next leader resends everything
 * after it, with the same ids. An event is sent only after the previous one of its subject was
 * acknowledged. So events of a subject stay in order even while two pods believe that they lead;
 * the lease only avoids duplicates.
 */
@Singleton
class KafkaDispatcher {

    private static final Logger LOG = Logger.getLogger(KafkaDispatcher.class);
    private static final String LEASE = "kafka";
    private static final long POLL_MS = 200;
    private static final long LEASE_MS = 10_000;
    private static final long RENEW_NANOS = TimeUnit.MILLISECONDS.toNanos(LEASE_MS / 4);
    private static final long BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Above the time of a healthy poll; a journal unread for longer counts as lag. */
    private static final long UNREAD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Ledger ledger;
    private final LeaderLease lease;
    private final KafkaTopic topic;
    private final int batch;
    private final boolean active;
    private final PeriodicTask task;
    private final MultiGauge lag;
    /** Acknowledged events after the position, which a retry does not send again. */
    private final Set<String> acknowledged = new HashSet<>();
    private volatile @Nullable KeptLease lead;
    private volatile boolean stopped;
    private long renewNanos = System.nanoTime();
    private long backoffUntilNanos = System.nanoTime();
    private @Nullable Position position;
    /** When the journal was last read. */
    private volatile long readNanos = System.nanoTime();
    /** The time of the oldest unacknowledged event; null if there is none. */
    private volatile @Nullable Instant oldest;

    private record Work(@Nullable Position from, EventReader.Page page) {

        private List<CloudEvent> events() {
            return page.events();
        }
    }

    @Inject
    KafkaDispatcher(Ledger ledger, LeaderLease lease, KafkaTopic topic, RushConfig config,
            MeterRegistry registry) {
        this.ledger = ledger;
        this.lease = lease;
        this.topic = topic;
        this.batch = config.events().kafka().batch();
        this.active = config.orders().sink() == RushConfig.Sink.BOTH && config.role().writes();
        this.task = new PeriodicTask("kafka", POLL_MS, this::poll);
        this.lag = MultiGauge.builder("rush.kafka.lag").baseUnit("seconds")
                .description("Age of the oldest event that Kafka has not acknowledged")
                .register(registry);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
        stopped = true;
        topic.release();
        KeptLease held = lead;
        if (held != null) {
            held.close();
        }
    }

    private boolean poll() {
        if (!ledger.isReady() || System.nanoTime() - backoffUntilNanos < 0 || !leads()) {
            return false;
        }
        Work work = ledger.transact((connection, ledgerState) -> {
            Position from = SinkRows.find(connection, SinkRows.KAFKA);
            return new Work(from, EventReader.read(connection,
                    from == null ? Position.START : from, batch));
        });
        readNanos = System.nanoTime();
        if (!work.page.next().equals(position)) {
            position = work.page.next();
            // Forgets events that are no longer read from here.
            acknowledged.retainAll(work.events().stream().map(CloudEvent::id).toList());
        }
        oldest = work.events().isEmpty() ? null : Instant.parse(work.events().get(0).time());
        if (!deliver(work.events())) {
            backoffUntilNanos = System.nanoTime() + BACKOFF_NANOS;
            return false;
        }
        return move(work) && !work.page.isEnd();
    }

    /** Takes the lease, or renews it when due. Returns whether this pod leads. */
    private boolean leads() {
        long now = System.nanoTime();
        if (lead != null && now - renewNanos < 0) {
            return true;
        }
        if (lead == null) {
            lead = KeptLease.take(lease, LEASE, LEASE_MS);
            if (lead == null) {
                backoffUntilNanos = now + BACKOFF_NANOS;
                return false;
            }
            if (stopped) {
                lead.close();
                lead = null;
                return false;
            }
            LOG.info("This pod feeds Kafka");
            readNanos = now;
            lag.register(List.of(MultiGauge.Row.of(Tags.empty(), this::ageSeconds)), true);
        } else if (!lead.renew()) {
            retire(lead);
            return false;
        }
        renewNanos = now + RENEW_NANOS;
        return true;
    }

    private void retire(KeptLease lost) {
        LOG.info("Another pod feeds Kafka");
        lost.lapse();
        lead = null;
        topic.release();
        acknowledged.clear();
        lag.register(List.of(), true);
    }

    /** Sends all events without an acknowledgement. Returns whether all have one now. */
    private boolean deliver(List<CloudEvent> events) {
        Map<String, Deque<CloudEvent>> subjects = new LinkedHashMap<>();
        events.stream().filter(event -> !acknowledged.contains(event.id())).forEach(event ->
                subjects.computeIfAbsent(event.subject(), subject -> new ArrayDeque<>())
                        .add(event));
        boolean allAcknowledged = true;
        while (allAcknowledged && !subjects.isEmpty() && leads()) {
            List<CloudEvent> firsts = subjects.values().stream().map(Deque::peek).toList();
            Set<String> sent = topic.send(firsts);
            acknowledged.addAll(sent);
            allAcknowledged = sent.size() == firsts.size();
            subjects.values().removeIf(waiting -> {
                waiting.poll();
                return waiting.isEmpty();
            });
        }
        return allAcknowledged && subjects.isEmpty();
    }

    /** Moves the position. Returns false if another pod has moved it meanwhile. */
    private boolean move(Work work) {
        if (work.page.next().equals(work.from)) {
            return true;
        }
        boolean isMoved = ledger.transact((connection, ledgerState) ->
                SinkRows.move(connection, SinkRows.KAFKA, work.from, work.page.next()));
        acknowledged.clear();
        oldest = null;
        return isMoved;
    }

    /** While the journal cannot be read, the age is at least the time since the last read. */
    private double ageSeconds() {
        Instant first = oldest;
        double age = first == null ? 0
                : Duration.between(first, Instant.now()).toMillis() / 1000.0;
        long unreadNanos = System.nanoTime() - readNanos;
        return Math.max(age, unreadNanos > UNREAD_NANOS ? unreadNanos / 1e9 : 0);
    }
}
