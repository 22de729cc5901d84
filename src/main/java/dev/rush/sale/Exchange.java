package dev.rush.sale;

import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;

/** A request that is answered asynchronously, with the event loop on which it is answered. */
record Exchange(RoutingContext routing, Context loop) {

    /** The exchange of the request that is being handled on this event loop. */
    static Exchange of(RoutingContext routing) {
        return new Exchange(routing, VertxContext.getRootContext(Vertx.currentContext()));
    }
}
