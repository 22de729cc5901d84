#!lua
--[[
Release: write a filled shard's terms and stock, so that it is on sale again.

KEYS[1] conf   hash    the sale's terms and state
KEYS[2] stock  hash    <sku>:total <sku>:ordered <sku>:limit <sku>:version <sku>:credited
KEYS[3] index  zset    the partition's sales, scored by when they were prepared
KEYS[4] seq    string  accepted purchases and grabs of the partition
ARGV[1] sale  ARGV[2] prepared_at  ARGV[3] least_seq
ARGV[4] listed  1 for the first shard, which lists the sale; 0 for the others
then for each field
ARGV[1] part  conf or stock  ARGV[2] field  ARGV[3] value

Returns the first that applies:
  loaded | released seq_before now_ms

seq_before  numbers after it, up to least_seq, are skipped

Keeps: a shard with stock is not changed; seq never goes back.
]]
local conf, stock, index, seq = unpack(KEYS)
local sale, prepared_at, least_seq, listed = unpack(ARGV, 1, 4)
local FIRST, STRIDE = 5, 3

if redis.call('EXISTS', stock) == 1 then
  return {'loaded'}
end

redis.call('DEL', conf)
for first = FIRST, #ARGV, STRIDE do
  local part, field, value = unpack(ARGV, first, first + STRIDE - 1)
  redis.call('HSET', part == 'conf' and conf or stock, field, value)
end
if listed == '1' then
  redis.call('ZADD', index, prepared_at, sale)
end
local seq_before = tonumber(redis.call('GET', seq) or 0)
if seq_before < tonumber(least_seq) then
  redis.call('SET', seq, least_seq)
end
local time = redis.call('TIME')
return {'released', seq_before, time[1] * 1000 + math.floor(time[2] / 1000)}
