/** The questions of one open notebook. */
import { Cell, ICellModel } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { PanelLayout } from '@lumino/widgets';

import { CheckPanel, outcome, progress, Question, span } from './panel';
import { IQuestions, ITicket, Refused, Service } from './service';

const COPY = /(-Copy\d+| ?\(\d+\))$/; // what browsers and Jupyter add to a name

export class CheckedNotebook {
  constructor(
    private readonly panel: NotebookPanel,
    private readonly service: Service
  ) {
    panel.disposed.connect(() => this.leaving.abort());
    void this.start();
  }

  /** Asks about the answer of the active cell, or the nearest above it. */
  checkActive(): void {
    const { widgets, activeCellIndex } = this.panel.content;
    for (let index = activeCellIndex; index >= 0; index--) {
      const question = this.questions.get(slugOf(widgets[index].model));
      if (question) {
        void this.check(question);
        return;
      }
    }
  }

  get hasQuestions(): boolean {
    return this.questions.size > 0;
  }

  private async start(): Promise<void> {
    await this.panel.context.ready;
    await this.panel.revealed;
    const slugs = this.candidates();
    if (!slugs.length || this.panel.isDisposed) {
      return;
    }
    let known: IQuestions | null = null;
    try {
      const told = await this.service.questions(this.assignment);
      known = told.sentence ? null : told;
    } catch (error) {
      if (error instanceof Refused && error.status === 404) {
        return; // another course's notebook
      } // else the button says why
    }
    const listed = new Map(known?.questions.map(found => [found.slug, found.title]));
    for (const slug of slugs) {
      if (known === null || listed.has(slug)) {
        this.questions.set(slug, new Question(slug, listed.get(slug) || slug));
      }
    }
    this.panel.content.model?.cells.changed.connect(() => this.place());
    this.place();
  }

  /** Answers that have a graded check. */
  private candidates(): string[] {
    const cells = [...(this.panel.content.model?.cells ?? [])];
    const graded = new Set(cells.map(cell => settings(cell)).filter(isGraded).map(nameOf));
    return cells.map(slugOf).filter(slug => slug && graded.has(`check_${slug}`));
  }

  private place(): void {
    for (const cell of this.panel.content.widgets) {
      const question = this.questions.get(slugOf(cell.model));
      if (question && !this.placed.has(cell)) {
        this.placed.add(cell);
        void cell.ready.then(() => this.add(cell, question));
      }
    }
  }

  private add(cell: Cell, question: Question): void {
    if (cell.isDisposed) {
      return;
    }
    const panel = new CheckPanel(question, () => void this.check(question));
    this.panels.set(question, panel);
    (cell.layout as PanelLayout).addWidget(panel);
    cell.model.contentChanged.connect(() => {
      if (question.answer && !question.changed) {
        question.changed = true;
        this.show(question);
      }
    });
  }

  private async check(question: Question): Promise<void> {
    if (question.busy) {
      return;
    }
    if (question.waitSeconds > 0) {
      this.say(question, `You may ask about it again in ${span(question.waitSeconds)}.`);
      return;
    }
    question.busy = true;
    question.answer = null;
    this.say(question, 'Saving the notebook.');
    try {
      await this.panel.context.save();
      this.say(question, 'Asking.');
      const ticket = await this.service.ask(
        { assignment: this.assignment, question: question.slug, notebook: this.slim() },
        told => this.say(question, progress(told)),
        (refused, seconds) => this.say(question, `${refused.message} Asking again in ${seconds} s.`),
        this.leaving.signal
      );
      this.take(question, ticket);
    } catch (error) {
      this.refuse(question, error);
    } finally {
      question.busy = false;
      this.show(question);
    }
  }

  private take(question: Question, ticket: ITicket): void {
    question.changed = false;
    question.answer = ticket.answer;
    question.status = ticket.answer ? outcome(ticket.answer) : ticket.sentence;
    this.wait(question, ticket.answer?.next_in_seconds ?? 0);
  }

  private refuse(question: Question, error: unknown): void {
    const told = error instanceof Refused;
    question.status = told ? error.message : 'The notebook could not be saved or sent.';
    if (told && error.retrySeconds) {
      question.status += ` You may ask again in ${span(Math.ceil(error.retrySeconds))}.`;
      this.wait(question, error.retrySeconds);
    }
  }

  /** Lets the button rest, and then says that one may ask again. */
  private wait(question: Question, seconds: number): void {
    if (seconds > 0) {
      question.next = Date.now() + seconds * 1000;
      setTimeout(() => this.show(question), seconds * 1000 + 50);
    }
  }

  private say(question: Question, status: string): void {
    question.status = status;
    this.show(question);
  }

  private show(question: Question): void {
    const panel = this.panels.get(question);
    if (panel && !panel.isDisposed) {
      panel.show();
    }
  }

  private get assignment(): string {
    const name = PathExt.basename(this.panel.context.path, '.ipynb');
    return name.replace(COPY, '');
  }

  /** The notebook without its outputs. */
  private slim(): unknown {
    const notebook = this.panel.content.model!.toJSON() as any;
    for (const cell of notebook.cells) {
      delete cell.attachments;
      if (cell.cell_type === 'code') {
        cell.outputs = [];
        cell.execution_count = null;
      }
    }
    return notebook;
  }

  private readonly leaving = new AbortController();
  private readonly questions = new Map<string, Question>();
  private readonly panels = new Map<Question, CheckPanel>();
  private readonly placed = new WeakSet<Cell>();
}

type Settings = { grade_id?: unknown; grade?: unknown; solution?: unknown };

function settings(cell: ICellModel): Settings {
  return (cell.getMetadata('nbgrader') ?? {}) as Settings;
}

function isGraded(found: Settings): boolean {
  return found.grade === true;
}

function nameOf(found: Settings): string {
  return typeof found.grade_id === 'string' ? found.grade_id : '';
}

/** The question that a cell answers; "" of other cells. */
function slugOf(cell: ICellModel): string {
  const found = settings(cell);
  return found.solution === true && cell.type === 'code' ? nameOf(found) : '';
}
