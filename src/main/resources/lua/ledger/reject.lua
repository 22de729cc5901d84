#!lua flags=allow-oom
--[[
Reject: note in the buyers' records of one sale that the ledger refused orders.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] buyers  hash  user → record, as purchase.lua writes it
for each order
ARGV[1] user  ARGV[2] order

Returns how many were noted.

Keeps: only a line in state a changes, and nothing of it but its state, which becomes r; what the
order took stays taken, as the books know it. Nothing is created.
]]
local conf, buyers = unpack(KEYS)
local STRIDE = 2

local function reject(user, order)
  local texts, found = {}, 0
  for text in string.gmatch(redis.call('HGET', buyers, user) or '', '[^\n]*\n') do
    if string.match(text, '^a (%S+) ') == order then
      text, found = 'r' .. string.sub(text, 2), 1
    end
    texts[#texts + 1] = text
  end
  if found == 1 then
    redis.call('HSET', buyers, user, table.concat(texts))
    redis.call('HINCRBY', conf, 'changes', 1)
  end
  return found
end

local noted = 0
for first = 1, #ARGV, STRIDE do
  noted = noted + reject(ARGV[first], ARGV[first + 1])
end
return noted
