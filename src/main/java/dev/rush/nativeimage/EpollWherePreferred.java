package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.spi.transport.Transport;

/**
 * In the executable, Quarkus always configures the JDK's selector for Vert.x. Netty's epoll library
 * works there too; if it cannot be loaded, the selector is used.
 */
@TargetClass(VertxBuilder.class)
final class EpollWherePreferred {

    @Substitute
    static Transport findTransport(boolean preferNative) {
        Transport epoll = preferNative ? new EpollTransport() : null;
        return epoll != null && epoll.isAvailable() ? epoll : JDKTransport.INSTANCE;
    }
}
