package dev.rush.ledger;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sales, or the rains, that a pod has read: all that are in Redis, and of the others those used
 * last. Thread-safe.
 */
final class OffersById {

    private static final int ABSENT_MAX = 10_000;
    private static final Duration ABSENT_FOR = Duration.ofSeconds(1);

    private final Map<String, Offer> inRedis = new ConcurrentHashMap<>();
    private final Map<String, Offer> retired;
    private final Cache<String, Boolean> absent = Caffeine.newBuilder()
            .maximumSize(ABSENT_MAX).expireAfterWrite(ABSENT_FOR).build();
    private final int retiredMax;
    private volatile boolean retiredIncomplete;
    private volatile boolean read;

    OffersById(int retiredMax) {
        this.retiredMax = retiredMax;
        this.retired = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Offer> eldest) {
                return size() > retiredMax;
            }
        };
    }

    @Nullable Offer get(String id) {
        Offer offer = inRedis.get(id);
        if (offer != null) {
            return offer;
        }
        synchronized (this) {
            Offer old = retired.get(id);
            return old != null ? old : inRedis.get(id);
        }
    }

    synchronized void put(Offer offer) {
        if (offer.state().compareTo(OfferState.RETIRED) < 0) {
            inRedis.put(offer.id(), offer);
            retired.remove(offer.id());
            return;
        }
        retired.put(offer.id(), offer);
        inRedis.remove(offer.id());
        // Some that are about to be retired may have been read in the place of retired ones.
        retiredIncomplete |= retired.size() >= retiredMax / 2;
    }

    /** Adds one that a query found, unless a refresh was faster, which may know a later state. */
    synchronized void putIfAbsent(Offer offer) {
        if (get(offer.id()) == null) {
            put(offer);
        }
    }

    /** Forgets those that are loaded no longer, without a change that a refresh could read. */
    void retainLoaded(Set<String> ids) {
        inRedis.values().removeIf(
                offer -> offer.state() == OfferState.LOADED && !ids.contains(offer.id()));
    }

    /** Notes that the ledger has no such offer. */
    void putAbsent(String id) {
        absent.put(id, true);
    }

    /** Notes that the ledger has been read. */
    void noteRead() {
        read = true;
    }

    /** Whether nothing is known of an id, because the ledger has not been read yet. */
    boolean isUnread(String id) {
        return !read && absent.getIfPresent(id) == null && get(id) == null;
    }

    /** Whether the ledger may have one that this pod does not know. */
    boolean mayLack(String id) {
        return isUnread(id) || retiredIncomplete && absent.getIfPresent(id) == null;
    }
}
