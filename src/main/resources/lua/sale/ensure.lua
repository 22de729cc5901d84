#!lua
--[[
Ensure: create all missing keys of a shard. While a slot moves to another node, Redis runs no script
that names a missing key, so a sale needs all of them to stay available.

KEYS[1] conf         hash    the sale's terms and state
KEYS[2] buyers       hash    user → record
KEYS[3] transfers    hash    unfinished transfers from this shard
KEYS[4] received     set     transfers given to this shard
KEYS[5] stream       stream  accepted orders and grabs of the partition
KEYS[6] seq          string  accepted purchases and grabs of the partition
KEYS[7] unfinished   hash    what must still reach other shards of a sale
KEYS[8] stock        hash    <sku>:total <sku>:ordered <sku>:limit

Returns the first that applies:
  unknown-sale | not-loaded | done

Keeps: existing keys are not changed. A created key has one placeholder entry, named ""; a stream
may be empty. Keys of a retired sale, and keys that Redis has lost, are not created again, because
that would hide the loss.
]]
local conf, buyers, transfers, received, stream, seq, unfinished, stock = unpack(KEYS)
-- include lost

if redis.call('EXISTS', conf) == 0 then
  return 'unknown-sale'
end
if are_buyers_lost(stock, buyers) then
  return 'not-loaded'
end

local function keep(hash)
  redis.call('HSETNX', hash, '', '')
end

keep(buyers)
keep(transfers)
keep(unfinished)
redis.call('SADD', received, '')
redis.call('INCRBY', seq, 0)
if redis.call('EXISTS', stream) == 0 then
  redis.call('XDEL', stream, redis.call('XADD', stream, '*', 'first', ''))
end
return 'done'
