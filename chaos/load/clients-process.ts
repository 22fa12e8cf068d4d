// A process of its own, so that the clients' cost is not measured as the service's.
import { answerCalls } from '../../testkit/load/calls.ts';
import { Clients, type ClientsOrder, type ClientsReport, type Progress } from './clients.ts';

let clients: Clients | null = null;

const calls = {
  async run(order: ClientsOrder): Promise<ClientsReport> {
    clients = new Clients(order);
    return await clients.run();
  },

  progress(): Progress | null {
    return clients?.progress() ?? null;
  },
};

export type ClientsCalls = typeof calls;

answerCalls(calls);
