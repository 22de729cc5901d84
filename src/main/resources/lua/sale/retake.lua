#!lua flags=allow-oom
--[[
Retake: rewrite the note of a transfer between two shards of a sale, to wait for replicas.

KEYS[1] transfers  hash  unfinished transfer → "generation destination sku units at"
ARGV[1] transfer

Returns the first that applies:
  gone | taken

Keeps: only the note is written, unchanged, so that a WAIT for replicas also covers what take.lua
wrote before. gone: another pod has finished it.
]]
local transfers = KEYS[1]
local transfer = ARGV[1]

local note = redis.call('HGET', transfers, transfer)
if not note then
  return 'gone'
end
redis.call('HSET', transfers, transfer, note)
return 'taken'
