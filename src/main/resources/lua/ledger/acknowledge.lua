#!lua flags=allow-oom
--[[
Acknowledge: remove entries that the ledger has processed, and publish its decisions for waiting
callers.

KEYS[1] stream   stream  accepted orders and grabs of the partition
KEYS[2] ledger   hash    seq  highest number that the ledger has; epoch  of that ledger
KEYS[3] decided  stream  ids → what the ledger has decided in the last ten seconds
ARGV[1] seq  ARGV[2] epoch
ARGV[3] ids  that are decided and awaited, separated by blanks: rejected ones begin with !, ones to
             be retried with ?; empty for none
then for each entry
ARGV[1] entry

Returns how many entries were removed; −1 in a former epoch.

Keeps: nothing is done in a former epoch, because that ledger may be lost. seq and epoch never go
back. Ids are published once their entries are removed, in order.
]]
local stream, ledger, decided = unpack(KEYS)
local seq, epoch, ids = unpack(ARGV)
local FIRST = 4
local DECIDED_MS = 10000
-- include epoch

local function raise(field, value)
  if tonumber(value) > tonumber(redis.call('HGET', ledger, field) or -1) then
    redis.call('HSET', ledger, field, value)
  end
end

if is_replaced(ledger, epoch) then
  return -1
end
local removed = #ARGV < FIRST and 0 or redis.call('XDEL', stream, unpack(ARGV, FIRST))
raise('seq', seq)
raise('epoch', epoch)
if ids ~= '' then
  local at = string.match(redis.call('XADD', decided, '*', 'ids', ids), '^%d+')
  redis.call('XTRIM', decided, 'MINID', string.format('%.0f', tonumber(at) - DECIDED_MS))
end
return removed
