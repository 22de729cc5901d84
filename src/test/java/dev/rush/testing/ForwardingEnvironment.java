package dev.rush.testing;

/** Forwards to another environment everything that a subclass does not override. */
abstract class ForwardingEnvironment implements Environment {
    private final Environment target;

    ForwardingEnvironment(Environment target) {
        this.target = target;
    }

    @Override
    public String name() {
        return target.name();
    }

    @Override
    public String redisHosts() {
        return target.redisHosts();
    }

    @Override
    public String clientType() {
        return target.clientType();
    }

    @Override
    public Resp resp(String key) {
        return target.resp(key);
    }

    @Override
    public String ledgerUrl() {
        return target.ledgerUrl();
    }

    @Override
    public Pod pod() {
        return target.pod();
    }
}
