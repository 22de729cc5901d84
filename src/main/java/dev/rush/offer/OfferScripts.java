package dev.rush.offer;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that sales and rains share. */
@Singleton
class OfferScripts implements ScriptSet {

    static final Script STEER = Script.load("offer/steer");
    static final Script STEERED = Script.load("offer/steered");

    @Override
    public List<Script> scripts() {
        return List.of(STEER, STEERED);
    }
}
