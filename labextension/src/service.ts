/** The check service, as the Jupyter server passes it on. */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

export interface IChecked {
  title: string | null;
  passed: boolean;
  message: string | null;
  diagnosis: string | null;
  points: number | null;
}

export interface IAnswer {
  question: string;
  status: string;
  words: string;
  passed: boolean;
  score: number | null;
  max_score: number | null;
  checks: IChecked[];
  reserved: number;
  attempts_left: number | null;
  next_in_seconds: number;
  rests_on?: string[];
}

export interface ITicket {
  id: string;
  state: 'waiting' | 'running' | 'answered' | 'failed';
  position: number;
  wait_seconds: number;
  answer: IAnswer | null;
  sentence: string;
}

export interface IQuestion {
  slug: string;
  title: string;
  attempts_left: number | null;
}

export interface IQuestions {
  open: boolean;
  questions: IQuestion[];
  /** Why there are none: no service is set up. */
  sentence?: string;
}

export interface IAsked {
  assignment: string;
  question: string;
  notebook: unknown;
}

/** Why there is no answer: one sentence for the student. */
export class Refused extends Error {
  constructor(
    sentence: string,
    readonly status: number,
    readonly retrySeconds: number | null
  ) {
    super(sentence);
  }

  /** Whether it may go better in a moment, without the student. */
  get passes(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }
}

const NO_ANSWER = 'The check service does not answer just now.';
const NO_SERVER = 'Jupyter does not answer just now.';
const PAUSES = [1, 2, 4, 8, 15, 30, 30, 30]; // seconds
const REPEATS = 3; // questions that the service may forget

type Told = (ticket: ITicket) => void;
type Lost = (refused: Refused, seconds: number) => void;

export class Service {
  constructor(private readonly settings: ServerConnection.ISettings) {}

  questions(assignment: string): Promise<IQuestions> {
    const query = URLExt.objectToQueryString({ assignment });
    return this.json<IQuestions>(`questions${query}`);
  }

  /** Asks, and again while there is no answer for want of a connection. */
  async ask(asked: IAsked, told: Told, lost: Lost, signal: AbortSignal): Promise<ITicket> {
    const patiently = <T>(work: () => Promise<T>) => this.patiently(work, lost, signal);
    for (let repeats = 0; ; repeats++) {
      const body = JSON.stringify(asked);
      const ticket = await patiently(() =>
        this.json<ITicket>('checks', { method: 'POST', body, signal })
      );
      told(ticket);
      try {
        return await patiently(() => this.follow(ticket, told, signal));
      } catch (error) {
        const forgotten = error instanceof Refused && error.status === 404;
        if (!forgotten || repeats >= REPEATS) {
          throw error;
        }
      }
    }
  }

  private async follow(ticket: ITicket, told: Told, signal: AbortSignal): Promise<ITicket> {
    const place = `checks/${encodeURIComponent(ticket.id)}`;
    if (!isOver(ticket)) {
      const response = await this.request(`${place}/events`, { signal });
      for await (const event of events(response)) {
        told(event);
        if (isOver(event)) {
          return event;
        }
      }
      ticket = await this.json<ITicket>(place, { signal });
      told(ticket);
    }
    if (!isOver(ticket)) {
      throw new Refused(NO_ANSWER, 0, null); // the stream broke off
    }
    return ticket;
  }

  private async patiently<T>(work: () => Promise<T>, lost: Lost, signal: AbortSignal): Promise<T> {
    for (const pause of PAUSES) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Refused) || !error.passes) {
          throw error;
        }
        const seconds = Math.min(Math.max(error.retrySeconds ?? 0, pause), 120);
        lost(error, seconds);
        await sleep(seconds, signal);
      }
    }
    return work();
  }

  private async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await this.request(path, init);
    try {
      return (await response.json()) as T;
    } catch {
      throw new Refused(NO_ANSWER, 0, null);
    }
  }

  private async request(path: string, init: RequestInit): Promise<Response> {
    const url = URLExt.join(this.settings.baseUrl, 'autograder/api', path);
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this.settings);
    } catch {
      init.signal?.throwIfAborted();
      throw new Refused(NO_SERVER, 0, null);
    }
    if (response.ok) {
      return response;
    }
    const told = await response.json().catch(() => ({}));
    const sentence = typeof told?.error === 'string' ? told.error : NO_ANSWER;
    const retry = Number(told?.retry_seconds ?? response.headers.get('Retry-After') ?? 0);
    throw new Refused(sentence, response.status, retry > 0 ? retry : null);
  }
}

function isOver(ticket: ITicket): boolean {
  return ticket.state === 'answered' || ticket.state === 'failed';
}

/** The data of server-sent events; it ends where the connection does. */
async function* events(response: Response): AsyncGenerator<ITicket> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      text += value;
      const parts = text.split(/\r?\n\r?\n/);
      text = parts.pop()!;
      for (const part of parts) {
        const data = part.split(/\r?\n/).filter(line => line.startsWith('data:'));
        if (data.length) {
          yield JSON.parse(data.map(line => line.slice(5)).join('\n')) as ITicket;
        }
      }
    }
  } catch {
    return; // the ticket is asked for then
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
  });
}
