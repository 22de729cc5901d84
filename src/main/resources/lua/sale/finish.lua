#!lua flags=allow-oom
--[[
Finish: remove finished transfers of units between two shards of a sale, their last step.

KEYS[1] transfers   hash  unfinished transfer → "generation destination sku units at"
KEYS[2] unfinished  hash  what must still reach other shards of a sale
ARGV[1] note  of unfinished transfers of this sale
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
