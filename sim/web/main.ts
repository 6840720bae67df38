import type { TabQuestion } from '../play/tab-api.ts'
import { MessageTurns } from './platform/turns.ts'
import { createTab } from './tab.ts'

/** Serves the page to which this worker belongs. `build` names the program, as `svc-sim` does. */
export function serve(scope: DedicatedWorkerGlobalScope, build: string): void {
  const turns = new MessageTurns()
  const tab = createTab({
    build,
    pump: turns.pump,
    wallMs: () => performance.now(),
    after: (ms, fire) => {
      const timer = setTimeout(fire, ms)
      return { close: () => clearTimeout(timer) }
    },
    onUnhandled: (take) => {
      const listener = (event: PromiseRejectionEvent): void => {
        if (take(event.reason)) event.preventDefault()
      }
      scope.addEventListener('unhandledrejection', listener)
      return () => scope.removeEventListener('unhandledrejection', listener)
    },
    onEnd: (ended) => scope.postMessage({ ended }),
  })
  scope.addEventListener('message', ({ data }: MessageEvent<TabQuestion>) => {
    const { id } = data
    tab.answer(data).then(
      ({ status, text }) => scope.postMessage({ id, status, text }),
      (reason: unknown) => scope.postMessage({ ended: reason instanceof Error ? reason.message : String(reason) }),
    )
  })
}
