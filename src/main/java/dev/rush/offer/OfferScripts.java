package dev.rush.offer;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that sales and rains share. */
@Singleton
class OfferScripts implements ScriptSet {

    static final Script CONTROL = Script.load("offer/control");
    static final Script FOLLOWED = Script.load("offer/followed");

    @Override
    public List<Script> scripts() {
        return List.of(CONTROL, FOLLOWED);
    }
}
