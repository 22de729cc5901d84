package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.spi.transport.Transport;

/**
 * In the executable, Quarkus always gives Vert.x the JDK's selector. Netty's library for epoll
 * works there all the same; where it cannot be loaded, the selector serves.
 */
@TargetClass(VertxBuilder.class)
final class EpollWherePreferred {

    @Substitute
    static Transport findTransport(boolean preferNative) {
        Transport epoll = preferNative ? new EpollTransport() : null;
        return epoll != null && epoll.isAvailable() ? epoll : JDKTransport.INSTANCE;
    }
}
