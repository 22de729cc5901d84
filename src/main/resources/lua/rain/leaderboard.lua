#!lua flags=no-writes
--[[
Leaderboard: the highest grabs of a rain, or the users with the highest sums. Ties: the earlier
grab, or the user with the earlier first grab, comes first.

KEYS[1] conf    hash  the rain's terms and state
KEYS[2] board   zset  "<number> <user> <nth>", scored by −amount: the highest 100
KEYS[3] sums    zset  "<number of the first> <user>", scored by −sum: the highest 100
KEYS[4] takers  hash  user → record, as grab.lua writes it
ARGV[1] by    grab or user
ARGV[2] max  at most 100

Returns the first that applies:
  nothing for an unknown rain | by grab, for each: user nth amount | by user: user grabs sum

Keeps: nothing is written.
]]
local conf, board, sums, takers = unpack(KEYS)
local by, max = ARGV[1], ARGV[2]

if redis.call('EXISTS', conf) == 0 then
  return false
end
local ranks = redis.call('ZRANGE', by == 'grab' and board or sums, 0, max - 1, 'WITHSCORES')
local entries = {}
for i = 1, #ranks, 2 do
  local user, nth = string.match(ranks[i], '^%d+ (%S+) ?(%d*)$')
  -- The last member is the placeholder.
  if user then
    if by == 'user' then
      nth = select(2, string.gsub(redis.call('HGET', takers, user) or '', '\n', ''))
    end
    -- A score is minus the amount, as a text with all its digits.
    entries[#entries + 1] = user .. ' ' .. nth .. ' ' .. string.sub(ranks[i + 1], 2)
  end
end
return entries
