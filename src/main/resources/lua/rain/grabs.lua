#!lua flags=no-writes
--[[
Grabs: one user's grabs from a rain, and which of them may still wait for the ledger.

KEYS[1] conf    hash    the rain's terms and state
KEYS[2] takers  hash    user → record, as grab.lua writes it
KEYS[3] stream  stream  accepted orders and grabs of the partition
ARGV[1] user

Returns nothing for an unknown rain, else the lowest number that may wait in the stream or nothing
if none does, and the record or nothing.

Keeps: nothing is written.
]]
local conf, takers, stream = unpack(KEYS)
-- include head

if redis.call('EXISTS', conf) == 0 then
  return false
end
return { first_waiting(stream) or false, redis.call('HGET', takers, ARGV[1]) }
