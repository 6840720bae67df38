const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
/** For each month, the addend of Sakamoto's rule for the day of the week. */
const shifts = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4] as const

/** `2026-11-21T03:24:53Z` as `Saturday, 21-Nov-26 03:24:53 UTC`; anything else as it is. RFC 850, section 2.1.4. */
export function rfc850Text(moment: string): string {
  const [, year = '', month = '', day = '', time = ''] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(moment) ?? []
  const name = months[Number(month) - 1]
  if (year === '' || name === undefined) return moment
  return `${dayOfWeek(Number(year), Number(month), Number(day))}, ${day}-${name}-${year.slice(2)} ${time} UTC`
}

function dayOfWeek(year: number, month: number, day: number): string {
  const years = month < 3 ? year - 1 : year
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return days[(years + leaps + (shifts[month - 1] ?? 0) + day) % 7] ?? ''
}
