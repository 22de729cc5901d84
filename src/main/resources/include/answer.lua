-- Needs call.lua.
-- Scripts define write before this; it writes what was granted.
local ok, defect = true, nil
if granted > 0 then
  ok, defect = pcall(write)
-- A call that only repeats answers writes too: a WAIT covers what its own connection wrote, and the
-- first answer may have come over another one.
elseif repeated then
  ok, defect = pcall(call, 'INCRBY', seq, 0)
end
-- If the disk has failed since the script began, Redis refuses the first write; no later one.
if not ok and string.find(tostring(defect), '^MISCONF ') then
  return { err = defect }
end
for i = 3, ok and 0 or #replies do
  -- A replayed order may be of this call, and half written too.
  local word = string.match(replies[i], '^%a+')
  if word == 'accepted' or word == 'replayed' then
    replies[i] = failed(defect)
  end
end
return replies
