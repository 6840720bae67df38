/** Keys that do something: their names, and what that is. */
export type Keys = readonly (readonly [key: string, what: string])[]

/** Keys, those of the page before those of every picture, and what the picture is made of. */
export function HelpPanel({ pageKeys = [] }: { readonly pageKeys?: Keys | undefined }) {
  return (
    <div>
      <h2>Keys</h2>
      <dl class="keys">
        {[...pageKeys, ...keys].map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h2>The picture</h2>
      <ul>
        {parts.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    </div>
  )
}

const keys: Keys = [
  ['← →', 'earlier, later'],
  ['+ −', 'zoom in and out around the cursor'],
  ['0', 'the whole run'],
  [', .', 'the event of this machine before, and after, the chosen one'],
  ['[ ]', 'the line of the story before, and after, the cursor'],
  ['j k', 'the machine below, above'],
  ['v', 'the violation, with all that led to it; the next violation'],
  ['/', 'search'],
  ['s e i m ?', 'story, event, state, members, this page'],
  ['Esc', 'nothing is chosen'],
]

const parts = [
  'A lane for each machine. Of a server the colour is its term, and strong where it leads; amber where it is a candidate.',
  'Dark: no process runs. Pale: the process is paused.',
  'The line in a lane is the index up to which its log is committed, from 0 to the end of the run; dots: carried out.',
  'Red at the upper edge: a link of this machine is cut, slow or lossy, or its disk or clock is at fault. Where a clock was set or runs at a wrong rate, marks in the lane have the time that it shows, since the run began.',
  'A blue flag in a lane: the machine goes on as another release.',
  'Arrows are messages, from the time they are sent until they come; a cross: lost. They are drawn when you zoom in.',
  'Below the lanes: modes of access control, tokens, roots, sessions and locks, for as long as they hold at the leader; and the certificates of services that each agent holds.',
  'Red rings are the events that explain the chosen violation; the story has their numbers. Diamonds are faults and requests that were left out in other runs: red where the failure needs them.',
  'Hold the mouse over anything to read what it is.',
]
