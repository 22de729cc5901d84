package dev.rush.nemesis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import dev.rush.nemesis.fault.Fault.Injection;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a fault did before its injection failed is undone. */
class PartialInjectionTest {
    private static final int CONNECTIONS_MAX = 3;

    private final List<String> events = new ArrayList<>();
    private int connections;

    @Test
    void healingFollowsAFailedStep() throws Exception {
        Injection injection = new Injection("disk", List.of(7),
                () -> events.add("healed"), () -> events.add("cleaned up")).by(() -> {
            events.add("begun");
            throw new SQLException("too late");
        });
        injection.healing().heal();
        injection.cleanup().heal();

        assertThat(events).containsExactly("begun", "healed", "cleaned up");
        assertThat(injection.partitions()).containsExactly(7);
        assertThat(injection.target()).contains("disk", "in part", "too late");
    }

    @Test
    void crowdOfConnectionsIsClosedIfThePodsCannotBeCutOff() throws Exception {
        CrowdedLedger.inject(this::connect).healing().heal();

        assertThat(connections).isZero();
        assertThat(events).contains("createStatement");
    }

    /** Opens a connection on which no statement can be executed. */
    private Connection connect() throws SQLException {
        if (connections == CONNECTIONS_MAX) {
            throw new SQLException("too many clients");
        }
        connections++;
        return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
            events.add(method.getName());
            if (method.getName().equals("createStatement")) {
                throw new SQLException("terminating connection");
            }
            connections -= method.getName().equals("close") ? 1 : 0;
            return null;
        });
    }

    @Test
    void nodesStayConnectedIfOneRuleIsWrong() {
        assumeTrue(Topology.canIsolateNodes(), "only root with nft can cut off nodes");
        String table = "rush_test_" + ProcessHandle.current().pid();
        String chain = "add chain inet " + table + " out { type filter hook output priority 0 ; }";
        String rule = "add rule inet " + table + " out ip daddr 127.0.99.1 tcp dport { %s } drop";

        assertThatThrownBy(() -> CutOffMaster.nft("add table inet " + table, chain,
                String.format(rule, "1, 2"), String.format(rule, "no-port, 2")))
                .isInstanceOf(IllegalStateException.class);
        assertThat(Disks.run("nft", "list", "table", "inet", table)).isNotZero();

        CutOffMaster.nft("add table inet " + table, chain, String.format(rule, "1, 2"));
        CutOffMaster.nft("delete table inet " + table);
    }
}
