// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_priv.h - the state of uniformity analysis (WGSL 15.2), shared by
 *
 *   uniformity.c         a function: from its parameters to what callers need
 *   uniformity_graph.c   nodes and edges; what reaches what, shortest ways
 *   uniformity_value.c   what variables hold, through branches and loops
 *   uniformity_change.c  which variables each loop changes
 *   uniformity_expr.c    expressions, memory views, calls
 *   uniformity_stmt.c    statements
 *   uniformity_report.c  diagnostics that tell the story
 *
 * A node says "this value, or reaching this point, is the same for all
 * invocations"; an edge goes from a node to one that it depends on. Every value
 * node reaches the node of the control flow it was computed under, or NODE_ANY:
 * so what is computed at the start of a function, under NODE_START, needs no edge
 * to it, and "value and control flow" is the value alone there.
 *
 * Two scopes are analysed in one graph. Barriers and derivatives ask about the
 * workgroup (or draw), and reach trouble at NODE_ANY and NODE_WIDE; subgroup
 * operations ask about the subgroup, where only NODE_ANY is trouble.
 */
#ifndef WEFT_CHECK_UNIFORMITY_PRIV_H
#define WEFT_CHECK_UNIFORMITY_PRIV_H

#include "check/check_priv.h"

typedef uint32_t NodeId;

/* The nodes where ways end come first. */
enum {
    NODE_NONE,
    NODE_ANY,                       /* may differ between any two invocations     */
    NODE_WIDE,                      /* may differ, but not inside a subgroup      */
    NODE_START,                     /* the function is called in uniform flow     */
    NODE_FIRST_PARAM,               /* two a parameter: value, memory behind it   */
};

/* What an end is in bit masks; all ends are below the first inner node. */
#define END_BIT(node)  ((node) - NODE_ANY)
#define END_NODE(bit)  ((bit) + NODE_ANY)
#define PARAM_VALUE(i)    (NODE_FIRST_PARAM + 2 * (i))
#define PARAM_CONTENTS(i) (NODE_FIRST_PARAM + 2 * (i) + 1)

/* What a node tells in a diagnostic. */
typedef enum NodeKind {
    STORY_NONE,
    STORY_INPUT,                    /* decl: parameter of an entry point          */
    STORY_READ,                     /* expr: reads memory that others write       */
    STORY_BUILTIN,                  /* expr: call of a builtin                    */
    STORY_CALL,                     /* expr: result of a user's function          */
    STORY_WRITTEN,                  /* expr: call that wrote through a parameter  */
    STORY_CONDITION,                /* expr: decides where control flow goes      */
    STORY_LEFT,                     /* expr: of && or ||, decides about the right */
    STORY_MERGE,                    /* stmt: some may have left in it             */
    STORY_LOOP,                     /* stmt: start of an iteration                */
    STORY_LET,                      /* decl                                       */
    STORY_INIT,                     /* decl: variable                             */
    STORY_ASSIGN,                   /* stmt                                       */
} NodeKind;

typedef struct Node {
    uint32_t edges;                 /* first edge + 1                             */
    uint8_t  kind;                  /* NodeKind                                   */
    bool     any;                   /* has an edge to NODE_ANY                    */
    uint16_t param;                 /* STORY_WRITTEN: of which parameter          */
    union {
        const void *at;
        const Expr *expr;
        const Stmt *stmt;
        const Decl *decl;
    };
} Node;

typedef struct Edge {
    NodeId   to;
    uint32_t next;                  /* edge + 1 of the same node                  */
} Edge;

/* Arrays that the questions about a graph are answered with. */
typedef enum GraphArray {
    ARRAY_INDEX, ARRAY_LOW, ARRAY_STACK, ARRAY_FRAME, ARRAY_FRAME_EDGE,
    ARRAY_COMPONENT, ARRAY_ORDER, ARRAY_MASK,
    ARRAY_FIRST_IN, ARRAY_IN, ARRAY_QUEUE,
    ARRAY_WAY, ARRAY_LAST, ARRAY_WAY_WIDE, ARRAY_LAST_WIDE,
    ARRAY_SOURCE, ARRAY_FROM, ARRAY_CONDITION,
    ARRAY_COUNT
} GraphArray;

/* Kept between functions for its arrays. */
typedef struct Graph {
    Arena *arena;
    VEC(Node) nodes;
    VEC(Edge) edges;
    struct {
        void  *data;
        size_t size;                /* bytes                                      */
    } arrays[ARRAY_COUNT];
} Graph;

void   graph_begin(Graph *g, uint32_t ends);
/* Zeroed memory for count items; good until the array is asked for again. */
void  *graph_array(Graph *g, GraphArray which, size_t count, size_t size);
NodeId graph_node(Graph *g, NodeKind kind, const void *at);
void   graph_edge(Graph *g, NodeId from, NodeId to);
/* Is there an edge from -> to? Looks at a few edges only: no may mean yes. */
bool   graph_has_edge(const Graph *g, NodeId from, NodeId to);

/* The strongly connected components reachable from some nodes, in an order in
 * which what a component depends on comes before it. */
typedef struct Components {
    uint32_t *of;                   /* [nodes] component + 1; 0: not reached      */
    NodeId   *order;                /* [reached] nodes, component after component */
    uint32_t  reached, count;
} Components;
Components graph_components(Graph *g, const NodeId *from, uint32_t nfrom);
/* Which of the ends of bits [64 * word, 64 * word + 64) each component reaches,
 * by component + 1. */
const uint64_t *graph_reach(Graph *g, const Components *c, uint32_t nends,
                            uint32_t word);

/* Shortest ways to NODE_ANY, and to NODE_WIDE if wide. */
typedef struct Ways {
    NodeId *next;                   /* [nodes] NODE_NONE: there is no way         */
    NodeId *last;                   /* [nodes] the last node before the end       */
} Ways;
Ways graph_ways(Graph *g, bool wide);

/* ---- what callers need to know ---- */

typedef enum NeedRule {
    NEED_WORKGROUP,                 /* barriers; cannot be filtered               */
    NEED_DERIVATIVE,
    NEED_SUBGROUP,
    NEED_COUNT
} NeedRule;

/* Something that must be uniform for a call. */
typedef struct Need Need;
struct Need {
    NeedRule    rule;
    Severity    severity;
    const Decl *function;           /* that makes the call                        */
    const Expr *call;
    const Expr *arg;                /* the argument that must be uniform; NULL:
                                       control flow at the call                   */
    bool        contents;           /* the memory that `arg` points to            */
    const Need *inner;              /* of the callee; NULL: `call` is of a builtin */
    const Expr *condition;          /* what makes it depend on a parameter; NULL: none */
};

typedef struct ParamEffect {
    uint64_t   *after;              /* ends that decide what the memory holds after a
                                       call; NULL: not a function pointer         */
    const Node *origin;             /* why it may differ whatever the arguments   */
} ParamEffect;

/* Sets of ends are masks, a bit END_BIT(end) of 64 a word. */
struct Uniformity {
    uint64_t    *result;            /* ends the result depends on; NULL: none     */
    const Node  *origin;            /* why it may differ whatever the arguments   */
    ParamEffect *params;            /* [nparams]                                  */
    const Need **needs;             /* [ends * NEED_COUNT]; NULL: none            */
};

/* ---- variables ---- */

/* A memory view: a way to all or a part of a variable, or to what a parameter
 * points to. */
typedef struct View {
    const Decl *root;
    NodeId      address;            /* of the indices and pointers on the way     */
    bool        full;               /* the whole variable                         */
} View;

/* A variable, value or parameter of the function. */
typedef struct Local {
    NodeId   value;                 /* now; NODE_NONE: not declared yet           */
    uint32_t since;                 /* clock when it got this value               */
    uint32_t floor;                 /* targets below it end its scope             */
    uint32_t arrivals;              /* first of the list, innermost target first  */
    uint32_t loop;                  /* last loop that listed it as changing       */
    View     view;                  /* let-declared pointers                      */
} Local;

/* A point where several ways through the function come together. */
typedef struct Target {
    uint32_t last;                  /* clock of the last jump to it; 0: none      */
    uint32_t arrivals;              /* first of the list                          */
    bool     continues;             /* the continuing part of a loop: variables of
                                       the body are still in scope                */
} Target;

/* A variable that changed under way to a target. */
typedef struct Arrival {
    uint32_t target, local;
    NodeId   value, latest;
    bool     joined;                /* `value` is a node of its own               */
    uint32_t next_of_local, next_of_target;
} Arrival;

typedef struct Undo {
    uint32_t local;
    NodeId   value;
} Undo;

/* Variables that a loop changes: changes[first, end). */
typedef struct LoopChanges {
    const Stmt *loop;
    uint32_t    first, end;
} LoopChanges;

typedef struct LoopHead {
    uint32_t local;
    NodeId   node;
} LoopHead;

/* Something in the function that must be uniform. */
typedef struct Requirement {
    NodeId node;
    Need   need;
} Requirement;

typedef struct CallArg {
    NodeId   value, contents;
    View     view;                  /* pointers                                   */
} CallArg;

/* A clause of an `if` whose end is still to be joined. */
typedef struct IfEnd {
    NodeId   start, end;            /* control flow in it                         */
    uint32_t behavior;
} IfEnd;

/* The analysis of one function. Kept between functions for its arrays. */
typedef struct Uniform {
    Checker    *c;
    Arena      *arena;
    const Decl *fn;
    bool        idle;               /* nothing in the module has requirements     */
    bool        narrow;             /* subgroup operations ask about the subgroup */
    Graph       graph;
    NodeId      result;             /* NODE_NONE: no result                       */
    Filters     filters;
    Ways        ways[2];            /* without and with NODE_WIDE; once asked for */

    VEC(Local)       locals;        /* by Decl.index                              */
    uint32_t         clock;         /* counts jumps                               */
    VEC(Target)      targets;       /* open ones, innermost last; 0 is return     */
    VEC(Arrival)     arrivals;      /* 0 is unused                                */
    uint32_t         free_arrivals;
    VEC(Undo)        undo;
    VEC(uint32_t)    changes;
    VEC(LoopChanges) loops;         /* in the order of the walk                   */
    uint32_t         loop;          /* next of `loops`                            */
    uint32_t         loop_depth;    /* while `changes` are found                  */
    VEC(LoopHead)    heads;
    uint32_t         break_to, continue_to;

    VEC(Requirement) requirements;
    /* Stacks of the walk: each user leaves them as it found them. */
    VEC(CallArg)      args;
    VEC(const Expr *) spine;
    VEC(IfEnd)        if_ends;
} Uniform;

/* ---- uniformity_value.c ---- */

/* Can the memory be written while the function runs? Not for SPACE_FUNCTION. */
bool value_is_shared(const Decl *root);
/* Is it a pointer into the function address space? */
bool value_is_function_pointer(const Type *type);
/* A variable of the function or memory behind a parameter that the analysis
 * follows. */
bool value_is_tracked(const Decl *root);

void values_begin(Uniform *u);
Local *value_local(Uniform *u, const Decl *decl);
NodeId value_get(Uniform *u, const Decl *decl);
void value_declare(Uniform *u, const Decl *decl, NodeId value);
void value_set(Uniform *u, const Decl *decl, NodeId value);

/* A branch: what was set since the mark is taken back. */
uint32_t values_mark(const Uniform *u);
void     values_undo(Uniform *u, uint32_t mark);

/* A target is opened, jumped to any number of times, and closed: then the
 * variables hold what they held at any of the jumps. Innermost first. */
uint32_t target_open(Uniform *u, bool continues);
void     target_jump(Uniform *u, uint32_t target);
void     target_close(Uniform *u, uint32_t target);

/* Every variable that the loop changes gets a node of its own at its head;
 * loop_again() leads what they hold at the end of an iteration there. */
uint32_t loop_head(Uniform *u, const Stmt *loop);
void     loop_again(Uniform *u, uint32_t mark);
void     loop_forget(Uniform *u, uint32_t mark);

/* ---- uniformity_expr.c ---- */

/* Is its value known before the kernel runs? A runtime expression whose value is
 * known, as of `true || x`, is still judged by its parts. */
bool   uniform_is_early(const Expr *e);
/* The node of "the value is the same", under the control flow `cf`. */
NodeId uniform_expr(Uniform *u, NodeId cf, const Expr *e);
/* The same of a call whose value may be unused. */
NodeId uniform_call(Uniform *u, NodeId cf, const Expr *e);
View   uniform_view(Uniform *u, NodeId cf, const Expr *e);
/* What a view holds. */
NodeId uniform_load(Uniform *u, NodeId cf, const Expr *at, View view);
/* A node for two values of which `a` is under `cf`, and so is `b`. */
NodeId uniform_both(Uniform *u, NodeId cf, NodeId a, NodeId b);
/* Control flow that `e`, of value `value`, decides: STORY_CONDITION, STORY_LEFT. */
NodeId uniform_decides(Uniform *u, NodeId cf, NodeKind kind, const Expr *e,
                       NodeId value);

/* ---- uniformity_stmt.c ---- */

/* Walks a block; *behavior gets the ways in which it may end. */
NodeId uniform_block(Uniform *u, NodeId cf, const Block *block, uint32_t *behavior);

/* ---- uniformity_change.c ---- */

/* Fills `loops` and `changes`, in the order in which uniform_block() walks. */
void changes_find(Uniform *u, const Block *body);

/* ---- uniformity_report.c ---- */

/* Says what must be uniform and is not, and why. */
void report_requirement(Uniform *u, const Requirement *r, const Ways *ways);
/* The node that a difference comes from, across calls: for callers to report. */
const Node *report_origin(Uniform *u, NodeId from, const Ways *ways);

#endif
