/** What stands below one answer: a button, what is going on, and what the service said. */
import { Widget } from '@lumino/widgets';

import { IAnswer, IChecked, ITicket } from './service';

/** What is known of one question; it outlives the cell's place in the notebook. */
export class Question {
  status = '';
  answer: IAnswer | null = null;
  busy = false;
  changed = false;
  /** When one may ask again, in milliseconds of the clock. */
  next = 0;

  constructor(
    readonly slug: string,
    readonly title: string
  ) {}

  get waitSeconds(): number {
    return Math.ceil((this.next - Date.now()) / 1000);
  }
}

export class CheckPanel extends Widget {
  constructor(
    readonly question: Question,
    press: () => void
  ) {
    super({ node: element('div', 'autograder-Check') });
    const { node } = this;
    node.setAttribute('role', 'group');
    node.setAttribute('aria-label', `Check of ${question.title}`);
    node.setAttribute('data-lm-suppress-shortcuts', 'true'); // or Enter would edit the cell
    this.button = element('button', 'autograder-Check-button', 'Check');
    this.button.type = 'button';
    this.button.append(element('span', 'autograder-Check-hidden', ` ${question.title}`));
    this.button.title = 'Saves the notebook and asks the check service (Alt+Shift+C)';
    this.button.onclick = press;
    this.status = element('div', 'autograder-Check-status');
    this.status.setAttribute('role', 'status');
    this.answer = element('div', 'autograder-Check-answer');
    const bar = element('div', 'autograder-Check-bar');
    bar.append(this.button, this.status);
    node.append(bar, this.answer);
    this.show();
  }

  /** Shows what is known now. */
  show(): void {
    const { question } = this;
    this.button.setAttribute('aria-disabled', String(question.busy || question.waitSeconds > 0));
    if (this.status.textContent !== question.status) {
      this.status.textContent = question.status; // or it would be read out again
    }
    this.answer.hidden = question.answer === null;
    if (question.answer === null) {
      this.answer.replaceChildren();
    } else {
      this.answer.dataset.passed = String(question.answer.passed);
      this.answer.replaceChildren(...parts(question.answer, question.changed));
    }
  }

  private readonly button: HTMLButtonElement;
  private readonly status: HTMLElement;
  private readonly answer: HTMLElement;
}

/** What goes on, in one line. */
export function progress(ticket: ITicket): string {
  if (ticket.state === 'waiting') {
    const seconds = Math.max(1, Math.round(ticket.wait_seconds));
    return `Waiting at place ${ticket.position}: about ${span(seconds)}.`;
  }
  return ticket.state === 'running' ? 'Your answer is being checked.' : ticket.sentence;
}

/** What came out, in one line. */
export function outcome(answer: IAnswer): string {
  const told = answer.passed ? 'Passed.' : 'Not passed yet.';
  const held = answer.checks.filter(check => check.passed).length;
  return answer.checks.length ? `${told} ${held} of ${answer.checks.length} checks hold.` : told;
}

export function span(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function parts(answer: IAnswer, changed: boolean): Node[] {
  const found: Node[] = [];
  if (changed) {
    found.push(element('p', '', 'You have changed the cell since; this is about what it was.'));
  }
  found.push(element('p', 'autograder-Check-words', answer.words));
  if (answer.score !== null && answer.max_score !== null) {
    found.push(element('p', '', `${answer.score} of ${answer.max_score} points`));
  }
  if (answer.checks.length) {
    const list = element('ul', '');
    list.append(...answer.checks.map(line));
    found.push(list);
  }
  if (!answer.passed && answer.rests_on?.length) {
    const names = answer.rests_on.join(', ');
    found.push(element('p', '', `It rests on ${names}: check that one first.`));
  }
  if (answer.reserved) {
    found.push(element('p', '', `More checks, kept for the final grade: ${answer.reserved}.`));
  }
  if (answer.attempts_left !== null) {
    found.push(element('p', '', `Attempts left in this hour: ${answer.attempts_left}.`));
  }
  return found;
}

function line(check: IChecked): HTMLElement {
  const item = element('li', '');
  const mark = element('span', 'autograder-Check-mark', check.passed ? '✓' : '✗');
  mark.setAttribute('aria-hidden', 'true');
  const points = check.points === null ? '' : ` (${check.points} points)`;
  item.append(
    mark,
    said('span', 'autograder-Check-title', check.title ?? 'A check'),
    element('span', '', ` ${check.passed ? 'held' : 'not held'}${points}`)
  );
  if (check.message) {
    item.append(said('p', '', check.message));
  }
  if (check.diagnosis) {
    item.append(said('p', 'autograder-Check-diagnosis', check.diagnosis));
  }
  return item;
}

/** Text of the service, in which `names` stand between backquotes. */
function said(name: 'span' | 'p', className: string, text: string): HTMLElement {
  const made = element(name, className);
  const names = text.split(/`([^`\n]+)`/); // every second one
  made.append(...names.map((part, n) => (n % 2 ? element('code', '', part) : part)));
  return made;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = ''
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
