import type { TabAnswer, TabBegin, TabEnd, TabQuestion } from '../../play/tab-api.ts'
import { unpackedBlob } from '../document-film.ts'
import { type Answered, answeredWith, type Channel } from '../play/channel.ts'

/** Maximum number of requests of this page that wait for an answer: those behind them are refused. */
const waitingMax = 1_000

/** The worker whose packed script lies in this document. */
export async function startWorker(document: Document): Promise<Channel> {
  const script = await unpackedBlob(document.querySelector('#simulator')?.textContent ?? '', 'text/javascript')
  return workerChannel(new Worker(URL.createObjectURL(script)))
}

function workerChannel(worker: Worker): Channel {
  const waiting = new Map<number, (answer: Answered<string>) => void>()
  let asked = 0
  let ended: string | undefined
  const end = (words: string): void => {
    ended ??= `The simulator has stopped: ${words}`
    for (const settle of waiting.values()) settle({ ok: false, error: ended })
    waiting.clear()
  }
  worker.addEventListener('message', ({ data }: MessageEvent<TabAnswer | TabEnd>) => {
    if ('ended' in data) {
      end(data.ended)
      return
    }
    waiting.get(data.id)?.(answeredWith(data.status < 400, data.text))
    waiting.delete(data.id)
  })
  worker.addEventListener('error', ({ message }) => end(message))
  return (method, path, body) =>
    new Promise((resolve) => {
      if (ended !== undefined) resolve({ ok: false, error: ended })
      else if (waiting.size >= waitingMax) resolve({ ok: false, error: 'too many requests wait for an answer' })
      else {
        const question: TabQuestion = { id: ++asked, method, path, body }
        waiting.set(question.id, resolve)
        worker.postMessage(question)
      }
    })
}

/** Undefined: it has begun. */
export async function begin(channel: Channel, what: TabBegin): Promise<string | undefined> {
  const answer = await channel('POST', 'begin', JSON.stringify(what))
  return answer.ok ? undefined : answer.error
}
