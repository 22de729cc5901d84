-- Whether the deadline of the request at this place has passed, if the earliest has. Deadlines are
-- parsed only here, because few calls are late. One that is not a number is a defect.
local function is_over(deadlines, place, now, earliest)
  local passed = 0
  for deadline in string.gmatch(deadlines, '%S+') do
    passed = passed + 1
    if passed == place then
      return now > tonumber(deadline)
    end
  end
  return now > earliest
end
