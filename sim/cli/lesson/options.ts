import type { Command } from 'commander'
import { countTo, type Ended, jobCount, seedRange, wholeNumber } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { type BookFlags, writeBook } from './book.ts'
import { checkBook } from './book-check.ts'
import { type CheckFlags, checkLesson } from './check.ts'
import { type LessonFlags, refused } from './desk.ts'
import { addProject } from './project/options.ts'
import { type LessonRunFlags, runLesson } from './run.ts'
import { listLessons, type StartFlags, startLesson } from './start.ts'

const tasksMax = 9

export function addLesson(program: Command, terminal: SimTerminal, ended: Ended): void {
  const lesson = program
    .command('lesson')
    .description('Learn how clusters behave: lessons with runs, pictures, and tasks that are checked.')
  const add = (name: string, description: string): Command =>
    lesson
      .command(name)
      .description(description)
      .option('--dir <folder>', 'the folder of your work; svc-lessons if not given')
  add('list', 'List the lessons, and how far you are.').action(async (flags: LessonFlags) => {
    ended(await listLessons(flags, terminal))
  })
  add('start', 'Begin a lesson: writes its files, and shows what to read.')
    .argument('<lesson>', 'its number or name')
    .option('--reset', 'write the files anew, and forget what you have done of this lesson')
    .action(async (named: string, flags: StartFlags) => {
      ended(await startLesson(named, flags, terminal))
    })
  add('run', 'Show the run of a lesson, or of one of its tasks, with a picture.')
    .argument('[lesson]', 'its number or name; the one that was started last if not given')
    .option('--task <n>', 'show the run of this task, and write its trace', countTo(tasksMax))
    .option('--seed <n>', 'another seed than that of the lesson', wholeNumber)
    .option('--seeds <a..b>', 'with --task: show the marks of each of these seeds instead of one run', seedRange)
    .action(async (named: string | undefined, flags: LessonRunFlags) => {
      ended(await runLesson(named, flags, terminal))
    })
  add('check', 'Judge your answers, and the pages that you have edited.')
    .argument('[lesson]', 'its number or name; the one that was started last if not given')
    .option('--jobs <n>', 'number of seeds to run at a time; one for each core if not given', jobCount)
    .action(async (named: string | undefined, flags: CheckFlags) => {
      ended(await checkLesson(named, flags, terminal))
    })
  addProject(lesson, terminal, ended)
  lesson
    .command('book')
    .description('Write all lessons with pictures of their runs as one page of HTML, to print.')
    .option('-o, --output <file>', 'where to write the page')
    .option('--teacher', 'include times, answers and solutions instead of room to write')
    .option('--check <file>', 'say whether this book is current, and write nothing')
    .action(async ({ check, output, teacher }: Partial<BookFlags> & { readonly check?: string }) => {
      const isOne = (check === undefined) !== (output === undefined)
      if (!isOne) ended(refused(['give either --output or --check'], terminal))
      else if (check !== undefined) ended(await checkBook(check, terminal))
      else if (output !== undefined) ended(await writeBook({ output, teacher: teacher === true }, terminal))
    })
}
