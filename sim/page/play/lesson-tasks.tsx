import { useState } from 'preact/hooks'
import type {
  PlayLesson,
  PlayLessonCheck,
  PlayLessonRun,
  PlayLessonShown,
  PlayTask,
  PlayTaskAnswer,
} from '../../play/lessons-api.ts'
import { Prose, type Told, ToldOf } from './prose.tsx'

export interface LessonTasksProps {
  readonly lesson: PlayLesson
  readonly shown: PlayLessonShown
  readonly isRunning: boolean
  /** Undefined: it was refused, and the page says why. */
  readonly ask: (path: 'lesson/run' | 'lesson/check', body: object) => Promise<Told | undefined>
}

/** The tasks of a lesson with their answers, which are all checked at once. */
export function LessonTasks({ lesson: { name }, shown, isRunning, ask }: LessonTasksProps) {
  const { tasks, readOn } = shown
  const [answers, setAnswers] = useState(() => new Map(tasks.map(({ number, answer }) => [number, answer])))
  const [pages, setPages] = useState(() => new Map(tasks.map(({ number, page }) => [number, page?.text ?? ''])))
  const [told, setTold] = useState<Told>()
  const check = async (event: Event): Promise<void> => {
    event.preventDefault()
    const edited = tasks.filter(({ page }) => page !== null).map(({ number }) => [number, pages.get(number) ?? ''])
    const body: PlayLessonCheck = {
      name,
      answers: Object.fromEntries(
        tasks.filter(isAnswered).map(({ number, answer }) => [number, answers.get(number) ?? answer]),
      ),
      pages: Object.fromEntries(edited),
    }
    setTold(await ask('lesson/check', body))
  }
  return (
    <form class="tasks" onSubmit={(event) => void check(event)}>
      {tasks.map((task) => (
        <TaskForm
          key={task.number}
          {...{ task, name, isRunning, ask }}
          answer={answers.get(task.number) ?? task.answer}
          page={pages.get(task.number) ?? ''}
          onAnswer={(answer) => setAnswers((now) => new Map(now).set(task.number, answer))}
          onPage={(text) => setPages((now) => new Map(now).set(task.number, text))}
        />
      ))}
      <button type="submit" id="check" disabled={isRunning}>
        {isRunning ? 'runs' : 'check the answers'}
      </button>
      {told === undefined ? null : <ToldOf {...told} />}
      {readOn.length === 0 ? null : (
        <>
          <h3>Read on</h3>
          <ul>
            {readOn.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
    </form>
  )
}

/** An edited page is its answer. */
function isAnswered({ kind }: PlayTask): boolean {
  return kind !== 'page'
}

interface TaskFormProps extends Pick<LessonTasksProps, 'isRunning' | 'ask'> {
  readonly name: string
  readonly task: PlayTask
  readonly answer: PlayTaskAnswer
  readonly page: string
  readonly onAnswer: (answer: PlayTaskAnswer) => void
  readonly onPage: (text: string) => void
}

function TaskForm({ name, task, answer, page, isRunning, ask, onAnswer, onPage }: TaskFormProps) {
  const { number, kind, seeds, event, isRight, tries } = task
  const result = isRight ? 'right' : tries === 0 ? '' : 'not right yet'
  return (
    <fieldset>
      <legend>
        Task {number} <small class={isRight ? 'good' : 'bad'}>{result}</small>
      </legend>
      <Prose text={task.task} />
      <Choices task={task} chosen={answer.line} onChoice={(line) => onAnswer({ ...answer, line })} />
      {task.page === null ? null : (
        <textarea
          aria-label={`${task.page.name}, to be edited`}
          rows={18}
          value={page}
          onInput={({ currentTarget }) => onPage(currentTarget.value)}
        />
      )}
      {kind !== 'seed' ? null : (
        <label>
          A seed of {seeds}{' '}
          <input
            aria-label={`Seed of task ${number}`}
            inputMode="numeric"
            size={8}
            value={answer.line}
            onInput={({ currentTarget }) => onAnswer({ ...answer, line: currentTarget.value })}
          />
        </label>
      )}
      {event === null ? null : (
        <label>
          Number of {event.trim()}{' '}
          <input
            aria-label={`Event of task ${number}`}
            inputMode="numeric"
            size={8}
            value={answer.event}
            onInput={({ currentTarget }) => onAnswer({ ...answer, event: currentTarget.value })}
          />
        </label>
      )}
      {kind === 'choice' ? null : <RunOfTask {...{ name, task, page, seed: answer.line, isRunning, ask }} />}
    </fieldset>
  )
}

interface ChoicesProps {
  readonly task: PlayTask
  readonly chosen: string
  readonly onChoice: (letter: string) => void
}

function Choices({ task: { number, choices }, chosen, onChoice }: ChoicesProps) {
  return (
    <>
      {Object.entries(choices).map(([letter, text]) => (
        <label key={letter} class="choice">
          <input
            type="radio"
            name={`task-${number}`}
            value={letter}
            checked={chosen.toLowerCase() === letter}
            onChange={() => onChoice(letter)}
          />
          <span>
            {letter}) {text.trim()}
          </span>
        </label>
      ))}
    </>
  )
}

interface RunOfTaskProps extends Pick<LessonTasksProps, 'isRunning' | 'ask'> {
  readonly name: string
  readonly task: PlayTask
  /** The page as it is edited now. */
  readonly page: string
  /** The present answer to a task that asks for a seed. */
  readonly seed: string
}

/** Runs the page of a task, an edited one as it stands. */
function RunOfTask({ name, task: { number, kind }, page, seed, isRunning, ask }: RunOfTaskProps) {
  const [told, setTold] = useState<Told>()
  const isSeed = kind === 'seed' && /^\d{1,15}$/.test(seed)
  const run = async (): Promise<void> => {
    const edited = kind === 'page' ? { page } : {}
    const body: PlayLessonRun = { name, task: number, ...edited, ...(isSeed ? { seed: Number(seed) } : {}) }
    setTold(await ask('lesson/run', body))
  }
  return (
    <div>
      <button type="button" disabled={isRunning} onClick={() => void run()}>
        {isSeed ? `run it with seed ${seed}` : 'run it'}
      </button>
      {told === undefined ? null : <ToldOf {...told} />}
    </div>
  )
}
