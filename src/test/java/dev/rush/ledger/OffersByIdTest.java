package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OffersByIdTest {
    private final OffersById offers = new OffersById(2);

    private static Offer offer(String id, OfferState state) {
        return new Offer(true, id, 202601, List.of(0), state, null, 0);
    }

    private void retire(String... ids) {
        for (String id : ids) {
            offers.put(offer(id, OfferState.RETIRED));
        }
    }

    @Test
    @DisplayName("Of the retired offers those used last are kept")
    void leastRecentlyUsedIsEvicted() {
        retire("a", "b");
        assertThat(offers.get("a")).isNotNull();
        retire("c");
        assertThat(offers.get("b")).isNull();
        assertThat(offers.get("a")).isNotNull();
    }

    @Test
    @DisplayName("Offers that Redis still has are never evicted")
    void offersInRedisAreKept() {
        for (int i = 0; i < 10; i++) {
            offers.put(offer("a" + i, OfferState.LOADED));
            offers.put(offer("b" + i, OfferState.RETIRING));
        }
        retire("c", "d", "e");
        assertThat(offers.get("a0")).isNotNull();
        assertThat(offers.get("b0")).isNotNull();
    }

    @Test
    @DisplayName("An offer whose retirement failed is loaded again")
    void retirementCanFail() {
        offers.put(offer("a", OfferState.RETIRED));
        offers.put(offer("a", OfferState.LOADED));
        retire("b", "c", "d");
        assertThat(offers.get("a").state()).isEqualTo(OfferState.LOADED);
    }

    @Test
    @DisplayName("A late query does not overwrite what a refresh has read")
    void refreshPrevails() {
        retire("a");
        offers.putIfAbsent(offer("a", OfferState.LOADED));
        assertThat(offers.get("a").state()).isEqualTo(OfferState.RETIRED);
    }

    @Test
    @DisplayName("After a failover, offers that are loaded no longer are forgotten")
    void lostLoadsAreForgotten() {
        offers.put(offer("a", OfferState.LOADED));
        offers.put(offer("b", OfferState.LOADED));
        offers.put(offer("c", OfferState.RETIRING));
        offers.retainLoaded(Set.of("a"));
        assertThat(offers.get("a")).isNotNull();
        assertThat(offers.get("b")).isNull();
        assertThat(offers.get("c")).isNotNull();
    }

    @Test
    @DisplayName("An unknown id is looked up only if some may have been evicted, and once a second")
    void lookupsAreFew() {
        OffersById few = new OffersById(4);
        few.noteRead();
        few.put(offer("a", OfferState.RETIRED));
        assertThat(few.mayLack("x")).isFalse();
        few.put(offer("b", OfferState.RETIRED));
        assertThat(few.mayLack("x")).isTrue();
        few.putAbsent("x");
        assertThat(few.mayLack("x")).isFalse();
        assertThat(few.mayLack("y")).isTrue();
    }

    @Test
    @DisplayName("Until the ledger has been read, every unknown id is looked up, once a second")
    void ledgerThatWasNotReadMayHaveAny() {
        offers.put(offer("a", OfferState.LOADED));
        offers.putAbsent("b");
        assertThat(offers.isUnread("a")).isFalse();
        assertThat(offers.isUnread("b")).isFalse();
        assertThat(offers.isUnread("c")).isTrue();
        assertThat(offers.mayLack("c")).isTrue();
        offers.noteRead();
        assertThat(offers.isUnread("c")).isFalse();
        assertThat(offers.mayLack("c")).isFalse();
    }
}
