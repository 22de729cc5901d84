#!lua flags=allow-oom
--[[
Settle: remove entries of which the ledger has every order, and say what became of those orders that
somebody may wait for.

KEYS[1] stream   stream  accepted orders and grabs of the partition
KEYS[2] ledger   hash    seq epoch: the highest that the ledger was known to have
KEYS[3] decided  stream  per call one entry of one field, o → orders, a blank between two: ! stands
                         before a refused one, ? before one that is to be tried again
ARGV[1] seq     the highest number of these orders
ARGV[2] epoch   the ledger's
ARGV[3] orders  for decided; or empty
for each entry
ARGV[1] entry

Returns how many entries there were.

Keeps: seq and epoch never fall; decided holds what came in the last ten seconds.
]]
local stream, ledger, decided = unpack(KEYS)
local seq, epoch, orders = ARGV[1], ARGV[2], ARGV[3]
local FIRST, STRIDE = 4, 1
local KEPT_MS = 10000

local function raise(field, number)
  if tonumber(number) > tonumber(redis.call('HGET', ledger, field) or 0) then
    redis.call('HSET', ledger, field, number)
  end
end

raise('seq', seq)
raise('epoch', epoch)
if orders ~= '' then
  redis.call('XADD', decided, '*', 'o', orders)
  local time = redis.call('TIME')
  redis.call('XTRIM', decided, 'MINID', string.format('%d', time[1] * 1000 - KEPT_MS))
end
local removed = 0
for first = FIRST, #ARGV, STRIDE do
  removed = removed + redis.call('XDEL', stream, ARGV[first])
end
return removed
