import type { PlayStatus, PlayStep } from '../../play/play-api.ts'
import { seconds, shortSeconds } from '../view.ts'
import type { Doing } from './doing.ts'

export const steps: readonly { readonly key: string; readonly label: string; readonly step: PlayStep }[] = [
  { key: 'n', label: 'event', step: { events: 1 } },
  { key: '1', label: '1 ms', step: { ms: 1 } },
  { key: '2', label: '10 ms', step: { ms: 10 } },
  { key: '3', label: '100 ms', step: { ms: 100 } },
  { key: '4', label: '1 s', step: { ms: 1000 } },
]

export interface TimeBarProps {
  readonly status: PlayStatus
  readonly doing: Doing
  readonly cursorUs: number
  readonly follows: boolean
  readonly onFollow: (follows: boolean) => void
}

/** Virtual time: let it pass, and how fast; let a little of it pass; go back. */
export function TimeBar({ status, doing, cursorUs, follows, onFollow }: TimeBarProps) {
  const { nowUs, paused, rate, acts } = status
  return (
    <div class="controls time-bar" role="toolbar" aria-label="Virtual time">
      <button type="button" id="pace" class="main" onClick={() => doing.pace({ paused: !paused })}>
        {paused ? '▶ play' : '❚❚ pause'}
      </button>
      <span class="steps">
        <span class="hint">step</span>
        {steps.map(({ label, step, key }) => (
          <button
            type="button"
            key={label}
            title={`Key ${key}`}
            disabled={doing.isStepping}
            onClick={() => doing.step(step)}
          >
            {label}
          </button>
        ))}
      </span>
      <Speed rate={rate} onRate={(wanted) => doing.pace({ rate: wanted })} />
      <button type="button" id="undo" disabled={acts.length === 0} onClick={() => doing.undo({ last: true })}>
        undo {acts.at(-1)?.text ?? ''}
      </button>
      <button
        type="button"
        id="back"
        disabled={cursorUs >= nowUs}
        title="Replays the run up to the cursor, with what was done until then"
        onClick={() => doing.undo({ toUs: Math.round(cursorUs) })}
      >
        back to {shortSeconds(cursorUs)} s
      </button>
      <label>
        <input type="checkbox" checked={follows} onChange={({ currentTarget }) => onFollow(currentTarget.checked)} />
        follow
      </label>
      <output id="now">
        {shortSeconds(nowUs)} s, {status.events.toLocaleString('en')} events
      </output>
    </div>
  )
}

/** From 0.01 to 100 virtual seconds a second, in equal steps of the exponent. */
function Speed({ rate, onRate }: { readonly rate: number; readonly onRate: (rate: number) => void }) {
  const rateOf = (exponent: number): number => Number((10 ** exponent).toPrecision(2))
  return (
    <label class="speed">
      speed
      <input
        type="range"
        id="speed"
        min={-2}
        max={2}
        step={0.1}
        value={Math.log10(rate)}
        aria-valuetext={`${rate} virtual seconds in a second`}
        onChange={({ currentTarget }) => onRate(rateOf(Number(currentTarget.value)))}
      />
      <output>×{rate}</output>
    </label>
  )
}

/** What the server is doing, what it said last, and what is broken. */
export function Notices({ status, doing, problem }: Pick<TimeBarProps, 'status' | 'doing'> & Problem) {
  const { busy, failure, advancingToUs } = status
  return (
    <div class="notices" aria-live="polite">
      {problem === undefined ? null : <p class="bad">{problem}</p>}
      {failure === null ? null : (
        <p class="bad" id="failure">
          {failure.text} Time stands still: undo goes on from before; the story has what led to it.
        </p>
      )}
      {busy === null ? null : (
        <p id="busy">
          The run is replayed: {seconds(busy.nowUs)} of {seconds(busy.toUs)} s, {busy.acts} of {busy.actsTotal} acts.
        </p>
      )}
      {advancingToUs === null ? null : <p>Time passes up to {seconds(advancingToUs)} s.</p>}
      <p id="said" class={doing.said.isBad ? 'bad' : 'hint'}>
        {doing.said.text}
      </p>
    </div>
  )
}

interface Problem {
  readonly problem: string | undefined
}
