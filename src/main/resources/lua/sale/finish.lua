#!lua flags=allow-oom
--[[
Finish: the last step of transfers of units between two shards of a sale: remove them.

KEYS[1] transfers   hash  transfer → "generation destination sku units at" of those not finished
KEYS[2] unfinished  hash  what somebody is doing to several shards of a sale
ARGV[1] note  under which the partition knows that transfers of this sale are not finished
then for each transfer
ARGV[1] transfer

Returns how many transfers of this shard are not finished.

Keeps: the note stays as long as there is a transfer. Finishing again changes nothing.
]]
local transfers, unfinished = unpack(KEYS)
local note = ARGV[1]
local FIRST = 2

for i = FIRST, #ARGV do
  redis.call('HDEL', transfers, ARGV[i])
end
-- The entry "" is no transfer.
local left = redis.call('HLEN', transfers) - redis.call('HEXISTS', transfers, '')
if left == 0 then
  redis.call('HDEL', unfinished, note)
end
return left
