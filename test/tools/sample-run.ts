/**
 * A page shows some lines of a run, with `…` in place of the others. Gives the same lines as they are in the output of
 * the run now: each is the first one after those before it that differs from the page in times, names of servers and
 * hashes alone.
 */
export function sampleNow(shown: string, output: string): string {
  const lines = output.split('\n')
  let at = 0
  const now = shown.split('\n').map((line) => {
    if (line.trim() === '…') return line
    const found = lines.findIndex((each, index) => index >= at && likeness(each) === likeness(line))
    if (found < 0) throw new Error(`no line of the run is like this one of the page: ${line}`)
    at = found + 1
    return shortHash(lines[found] ?? '')
  })
  return now.join('\n')
}

/** What stays of a line from run to run. */
function likeness(line: string): string {
  return shortHash(line)
    .replace(/^ *\d+\.\d+s/, 'TIME')
    .replace(/\bs\d+\b/g, 'SERVER')
    .replace(/^( +trace) [0-9a-f]{8}…$/, '$1 HASH')
}

function shortHash(line: string): string {
  return line.replace(/^( +trace [0-9a-f]{8})[0-9a-f]{56}$/, '$1…')
}
