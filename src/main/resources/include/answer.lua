-- Needs call.lua.
-- Before this, scripts name write, which writes what was granted.
local fine, defect = true, nil
if granted > 0 then
  fine, defect = pcall(write)
-- A call that only repeats answers writes too: whoever waits for replicas waits for what its
-- connection wrote last, and the first answer may have come over another one.
elseif repeated then
  fine, defect = pcall(call, 'INCRBY', seq, 0)
end
for i = 3, fine and 0 or #replies do
  -- What is replayed may be of this call, and half written too.
  local word = string.match(replies[i], '^%a+')
  if word == 'accepted' or word == 'replayed' then
    replies[i] = failed(defect)
  end
end
return replies
