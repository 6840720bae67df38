import { render } from 'preact'
import type { PlayOverview } from '../../play/play-api.ts'
import type { TabRun } from '../../play/tab-api.ts'
import { App } from '../app.tsx'
import type { FilmSource } from '../film-source.ts'
import { type Channel, filmOf, parsedAnswer } from '../play/channel.ts'
import { seconds } from '../view.ts'

/** Milliseconds between two looks at a run. */
const lookMs = 200

interface ShownRun {
  readonly run: TabRun
  readonly lines: readonly string[]
  readonly source: FilmSource | undefined
  readonly opened: number
  readonly problem: string | undefined
}

/** Shows a run of a scenario: its story as it happens, and then its verdict and its picture. */
export async function showRun(root: Element, channel: Channel): Promise<void> {
  let lines: readonly string[] = []
  let from = 0
  for (;;) {
    const run = parsedAnswer<TabRun>(await channel('GET', `run?from=${from}`, ''))
    if (!run.ok) {
      root.textContent = run.error
      return
    }
    lines = [...lines, ...run.value.lines]
    from = run.value.nextLine
    if (run.value.end !== undefined) {
      await showEnd(root, channel, run.value, lines)
      return
    }
    render(<RunPage run={run.value} lines={lines} source={undefined} opened={0} problem={undefined} />, root)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

async function showEnd(root: Element, channel: Channel, run: TabRun, lines: readonly string[]): Promise<void> {
  const overview = parsedAnswer<PlayOverview>(await channel('GET', 'overview', ''))
  let opened = 0
  let problem = overview.ok ? undefined : overview.error
  const onOpen = (): void => {
    opened++
    draw()
  }
  const onFailed = (reason: unknown): void => {
    problem = reason instanceof Error ? reason.message : String(reason)
    draw()
  }
  const source = overview.ok ? filmOf(overview.value, channel, { onOpen, onFailed }) : undefined
  const draw = (): void =>
    render(<RunPage run={run} lines={lines} source={source} opened={opened} problem={problem} />, root)
  draw()
}

function RunPage({ run, lines, source, opened, problem }: ShownRun) {
  const { title, seed, nowUs, events, end } = run
  return (
    <>
      <section class="run" aria-label="The run">
        {end === undefined ? (
          <p id="progress" aria-live="polite">
            <b>{title}</b>, seed {seed}: {seconds(nowUs)} virtual seconds, {events.toLocaleString('en')} events
          </p>
        ) : (
          <pre id="verdict" class={end.passed ? 'good' : 'bad'} data-trace={end.trace}>
            {end.lines.join('\n')}
          </pre>
        )}
        {problem === undefined ? null : <p class="bad">{problem}</p>}
        <details open={end === undefined}>
          <summary>The story as svc-sim run prints it</summary>
          <pre id="told">{lines.join('\n')}</pre>
        </details>
      </section>
      {source === undefined ? null : <App source={source} opened={opened} />}
    </>
  )
}
