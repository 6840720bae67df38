import { render } from 'preact'
import { PlayApp } from './app.tsx'
import type { Channel } from './channel.ts'
import { PlaySession } from './session.ts'

/** Shows a session in this element, from now on. `ownCluster`: how a reader gets the cluster of a lesson, in words. */
export function showSession(root: Element, channel: Channel, ownCluster: (lesson: number) => string): void {
  let looked = 0
  const onChange = (): void => {
    looked++
    draw()
  }
  const session = new PlaySession(channel, onChange, ownCluster)
  const draw = (): void => {
    const { status, film, problem } = session
    if (status === undefined || film === undefined) {
      root.textContent = problem ?? 'The cluster is being built.'
      return
    }
    if (root.firstChild?.nodeType === Node.TEXT_NODE) {
      root.textContent = ''
      // Benchmarks read this mark: everything that the first picture needs has been drawn.
      requestAnimationFrame(() => performance.mark('first picture'))
    }
    render(<PlayApp session={session} status={status} source={film} looked={looked} />, root)
  }
  session.begin(document)
}
