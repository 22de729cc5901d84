#!lua
--[[
Ensure: create missing keys of a partition for the exchange between ledger and pods. While a slot
moves to another node, Redis runs no script that names a missing key.

KEYS[1] control   stream  changes for the ledger, as control.lua writes them
KEYS[2] ledger    hash    what the ledger has, as acknowledge.lua writes it
KEYS[3] decided   stream  what the ledger has decided, as acknowledge.lua writes it
KEYS[4] reported  list    steps that were reported to clients, as report.lua writes them
KEYS[5] expired   list    steps after which units are sold again, as report.lua writes them

Returns how many were created.

Keeps: existing keys are not changed. A created key is empty, or has one placeholder entry, "".
]]
local control, ledger, decided, reported, expired = unpack(KEYS)

local function ensure_stream(stream)
  if redis.call('EXISTS', stream) == 1 then
    return 0
  end
  redis.call('XDEL', stream, redis.call('XADD', stream, '*', 'first', ''))
  return 1
end

local function ensure_list(key)
  if redis.call('EXISTS', key) == 1 then
    return 0
  end
  return redis.call('RPUSH', key, '')
end

return ensure_stream(control) + ensure_stream(decided) + redis.call('HSETNX', ledger, '', '')
    + ensure_list(reported) + ensure_list(expired)
