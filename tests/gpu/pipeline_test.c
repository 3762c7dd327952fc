// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline_test.c - shader modules, their messages, compute pipelines.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define WAIT        WGPUCallbackMode_WaitAnyOnly
#define PROCESS     WGPUCallbackMode_AllowProcessEvents
#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

/* One validation error that starts with `start`; the words of the checker come after. */
static void expect_start(Fixture *fx, const char *start, const char *end)
{
    assert_int_equal(fx->nerrors, 1);
    assert_int_equal(fx->errors[0].type, WGPUErrorType_Validation);
    const char *have = fx->errors[0].message;
    assert_memory_equal(have, start, strlen(start));
    assert_true(strlen(have) > strlen(start) + strlen(end));
    assert_string_equal(have + strlen(have) - strlen(end), end);
    fx->nerrors = 0;
}

/* ---- modules ---- */

static void test_modules_that_are_wrong(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    WGPUShaderModuleDescriptor d = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    d.label = sv("m");
    wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(fx->device, &d));
    expect_fault(fx, "shader module 'm': there is no WGPUShaderSourceWGSL in the chain");
    d.nextInChain = &wgsl.chain;
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(fx->device, &d);   /* no text: empty */
    assert_true(m->base.valid);
    wgpuShaderModuleSetLabel(m, sv("n"));
    wgpuShaderModuleAddRef(m);
    wgpuShaderModuleRelease(m);
    wgpuShaderModuleRelease(m);
    wgsl.code = (WGPUStringView){"fn f() {} this is not looked at", 9};
    m = wgpuDeviceCreateShaderModule(fx->device, &d);
    assert_true(m->base.valid);
    wgpuShaderModuleRelease(m);
    wgsl.code = (WGPUStringView){NULL, 9};
    wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(fx->device, &d));
    expect_fault(fx, "shader module 'm': the code is NULL with a length of 9");
    wgsl.code = sv("\nfn f() -> u32 { return nothing; }");
    m = wgpuDeviceCreateShaderModule(fx->device, &d);
    assert_false(m->base.valid);
    wgpuShaderModuleRelease(m);
    expect_start(fx, "shader module 'm': 2:24: ", "");
    wgsl.code = sv("fn f() -> u32 { return a; } fn g() -> u32 { return b; }");
    wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(fx->device, &d));
    expect_start(fx, "shader module 'm': 1:24: ", " (and 1 more)");
    WGPUShaderSourceSPIRV spirv = WGPU_SHADER_SOURCE_SPIRV_INIT;
    d.nextInChain = &spirv.chain;
    wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(fx->device, &d));
    expect_fault(fx, "shader module 'm': Weft takes no SPIR-V; the instance feature "
                     "ShaderSourceSPIRV is not there");
    wgpuShaderModuleRelease(wgpuDeviceCreateShaderModule(fx->device, NULL));
    expect_fault(fx, "shader module: the descriptor is NULL");
    fixture_close(fx);
}

static void test_features_let_things_be_enabled(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "enable f16; var<private> x: f16;");
    assert_false(m->base.valid);
    assert_int_equal(fx->nerrors, 1);
    fx->nerrors = 0;
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
    static const WGPUFeatureName f16 = WGPUFeatureName_ShaderF16;
    fx = fixture_open(&(FixtureDesc){.features = &f16, .nfeatures = 1});
    wgpuShaderModuleRelease(make_module(fx, "enable f16; var<private> x: f16;"));
    expect_none(fx);
    m = make_module(fx, "enable subgroups;");
    assert_false(m->base.valid);
    fx->nerrors = 0;
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_f64_is_a_feature_of_the_device(void **state)
{
    (void)state;
    static const char text[] = "enable weft_f64; var<private> x: f64;";
    static const WGPUFeatureName f64 = WGPUFeatureName_WeftShaderF64;
    Fixture *fx = fixture_open(NULL);
    assert_true(wgpuAdapterHasFeature(fx->adapter, f64));
    assert_false(wgpuDeviceHasFeature(fx->device, f64));
    wgpuShaderModuleRelease(make_module(fx, text));
    expect_start(fx, "shader module: 1:8: the extension 'weft_f64' is not available here; a "
                     "device has it with the", "'weft-f64'");
    fixture_close(fx);
    fx = fixture_open(&(FixtureDesc){.features = &f64, .nfeatures = 1});
    assert_true(wgpuDeviceHasFeature(fx->device, f64));
    wgpuShaderModuleRelease(make_module(fx, text));
    expect_none(fx);
    wgpuShaderModuleRelease(make_module(fx, "struct f64 { x : f32 } var<private> x: f64;"));
    expect_none(fx);
    fixture_close(fx);
}

typedef struct Messages {
    int    calls;
    size_t count;
    WGPUCompilationMessage first;
    char   text[200];
    int    status;
    size_t infos;
} Messages;

static void on_info(WGPUCompilationInfoRequestStatus status, const WGPUCompilationInfo *info,
                    void *userdata1, void *userdata2)
{
    Messages *m = userdata1;
    (void)userdata2;
    m->calls++;
    m->status = (int)status;
    m->count = info->messageCount;
    if (info->messageCount == 0)
        return;
    m->first = info->messages[0];
    snprintf(m->text, sizeof m->text, "%.*s", (int)info->messages[0].message.length,
             info->messages[0].message.data);
    for (size_t i = 0; i < info->messageCount; i++)
        m->infos += info->messages[i].type == WGPUCompilationMessageType_Info;
}

static Messages messages_of(Fixture *fx, WGPUShaderModule m)
{
    Messages out = {0};
    wait_for(fx, wgpuShaderModuleGetCompilationInfo(
                     m, (WGPUCompilationInfoCallbackInfo){NULL, WAIT, on_info, &out, NULL}));
    assert_int_equal(out.calls, 1);
    assert_int_equal(out.status, WGPUCompilationInfoRequestStatus_Success);
    return out;
}

static void test_messages_have_places_in_bytes(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule good = make_module(fx, "fn f() {}");
    assert_int_equal(messages_of(fx, good).count, 0);
    /* Each of the letters before the name has two bytes and one UTF-16 unit. */
    WGPUShaderModule bad = make_module(fx, "// one\n/* \xc3\xa4\xc3\xb6 */ fn f() -> u32 "
                                           "{ return nothing; }");
    expect_start(fx, "shader module: 2:33: ", "");
    Messages m = messages_of(fx, bad);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.first.type, WGPUCompilationMessageType_Error);
    assert_non_null(strstr(m.text, "nothing"));
    assert_int_equal(m.first.lineNum, 2);
    assert_int_equal(m.first.linePos, 35);
    assert_int_equal(m.first.offset, 7 + 34);
    assert_int_equal(m.first.length, 7);
    /* The second place of a story comes as an Info. */
    WGPUShaderModule twice = make_module(fx, "const a = 1; const a = 2;");
    fx->nerrors = 0;
    m = messages_of(fx, twice);
    assert_true(m.count >= 2);
    assert_int_equal(m.infos, m.count - 1);
    WGPUShaderModule none = wgpuDeviceCreateShaderModule(fx->device, NULL);
    fx->nerrors = 0;
    assert_int_equal(messages_of(fx, none).count, 0);
    wgpuShaderModuleRelease(none);
    wgpuShaderModuleRelease(good);
    wgpuShaderModuleRelease(bad);
    wgpuShaderModuleRelease(twice);
    fixture_close(fx);
}

/* ---- pipelines ---- */

static const char shader[] =
    "override size: u32 = 4;\n"
    "@id(7) override scale: f32;\n"
    "struct Params { a: vec4<f32>, b: u32 }\n"
    "@group(0) @binding(0) var<storage, read> source: array<f32>;\n"
    "@group(0) @binding(3) var<storage, read_write> to: array<f32>;\n"
    "@group(2) @binding(1) var<uniform> params: Params;\n"
    "@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  to[id.x] = source[id.x] * scale + params.a.x;\n"
    "}\n"
    "@compute @workgroup_size(8) fn other() { to[0] = 1; }\n"
    "@fragment fn frag() {}\n";

static void expect_pipeline(Fixture *fx, const WGPUComputePipelineDescriptor *d,
                            WGPUErrorType type, const char *why)
{
    char message[600];
    snprintf(message, sizeof message, "compute pipeline 'p': %s", why ? why : "");
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(fx->device, d);
    assert_non_null(p);
    if (why)
        expect_error(fx, type, message);
    else
        expect_none(fx);
    assert_int_equal(p->base.valid, why == NULL);
    wgpuComputePipelineRelease(p);
    /* Asynchronously it is the same, but for where the error goes. */
    Told t = TOLD_INIT;
    wait_for(fx, wgpuDeviceCreateComputePipelineAsync(fx->device, d, pipeline_info(&t, WAIT)));
    expect_none(fx);
    assert_string_equal(t.message, why ? message : "");
    assert_int_equal(t.status, !why ? WGPUCreatePipelineAsyncStatus_Success
                               : type == WGPUErrorType_Validation
                                   ? WGPUCreatePipelineAsyncStatus_ValidationError
                                   : WGPUCreatePipelineAsyncStatus_InternalError);
    assert_true((t.object != NULL) == (why == NULL));
    if (t.object)
        wgpuComputePipelineRelease(t.object);
}

/* Until the kernel of such a pipeline is made. */
static void wait_for_kernel(Fixture *fx, const WGPUComputePipelineDescriptor *d)
{
    Told t = TOLD_INIT;
    wait_for(fx, wgpuDeviceCreateComputePipelineAsync(fx->device, d, pipeline_info(&t, WAIT)));
    assert_int_equal(t.status, WGPUCreatePipelineAsyncStatus_Success);
    wgpuComputePipelineRelease(t.object);
}

#define expect_good(fx, d)      expect_pipeline(fx, d, 0, NULL)
#define expect_wrong(fx, d, why) expect_pipeline(fx, d, WGPUErrorType_Validation, why)

static WGPUComputePipelineDescriptor descriptor(WGPUShaderModule m, const char *entry)
{
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.label = sv("p");
    d.compute.module = m;
    d.compute.entryPoint = sv(entry);
    return d;
}

static WGPUConstantEntry constant(const char *key, double value)
{
    return (WGPUConstantEntry){NULL, sv(key), value};
}

static void test_subgroup_sizes(void **state)
{
    (void)state;
    static const WGPUFeatureName feature = WGPUFeatureName_SubgroupSizeControl;
    static const struct { double size; const char *why; } cases[] = {
        {4, NULL}, {32, NULL},
        {2, "the subgroup size 2 is not between subgroupMinSize, 4, and subgroupMaxSize, 32"},
        {64, "the subgroup size 64 is not between subgroupMinSize, 4, and subgroupMaxSize, 32"},
    };
    Fixture *fx = fixture_open(&(FixtureDesc){.features = &feature, .nfeatures = 1});
    assert_true(wgpuDeviceHasFeature(fx->device, WGPUFeatureName_Subgroups));
    WGPUShaderModule m = make_module(fx, "enable subgroup_size_control; override size: u32;"
                                         "@compute @workgroup_size(64) @subgroup_size(size)"
                                         "fn main() {}");
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        WGPUConstantEntry size = constant("size", cases[i].size);
        WGPUComputePipelineDescriptor d = descriptor(m, "main");
        d.compute.constantCount = 1;
        d.compute.constants = &size;
        expect_pipeline(fx, &d, WGPUErrorType_Validation, cases[i].why);
    }
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_entry_points(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, shader);
    WGPUShaderModule one = make_module(fx, "@compute @workgroup_size(1) fn f() {}"
                                           "@fragment fn g() {}");
    WGPUShaderModule none = make_module(fx, "fn f() {}");
    WGPUComputePipelineDescriptor d = descriptor(m, "other");
    expect_good(fx, &d);
    d = descriptor(m, NULL);
    expect_wrong(fx, &d, "no entry point is named, and the module has 2 @compute functions");
    d = descriptor(m, "");
    expect_wrong(fx, &d, "the module has no entry point ''; there is 'main'");
    d = descriptor(m, "oth");
    expect_wrong(fx, &d, "the module has no entry point 'oth'; there is 'main'");
    d.compute.entryPoint = (WGPUStringView){"otherwise", 5};
    expect_good(fx, &d);
    d.compute.entryPoint = (WGPUStringView){NULL, 5};
    expect_wrong(fx, &d, "entryPoint is NULL with a length of 5");
    d = descriptor(m, "frag");
    expect_wrong(fx, &d, "the entry point 'frag' is not a @compute function");
    d = descriptor(one, NULL);
    expect_good(fx, &d);
    d = descriptor(none, NULL);
    expect_wrong(fx, &d, "no entry point is named, and the module has 0 @compute functions");
    d = descriptor(NULL, NULL);
    expect_wrong(fx, &d, "the module is NULL");
    WGPUShaderModule bad = make_module(fx, "fn");
    fx->nerrors = 0;
    d = descriptor(bad, NULL);
    expect_wrong(fx, &d, "the module is an error object");
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(fx->device, NULL);
    expect_fault(fx, "compute pipeline: the descriptor is NULL");
    wgpuComputePipelineRelease(p);
    WGPUChainedStruct stray = {NULL, WGPUSType_ShaderSourceWGSL};
    d = descriptor(one, NULL);
    d.nextInChain = &stray;
    expect_wrong(fx, &d, "WGPUComputePipelineDescriptor has a struct in its chain that does not "
                         "belong there: sType 0x00000002");
    d = descriptor(one, NULL);
    d.compute.nextInChain = &stray;
    expect_wrong(fx, &d, "WGPUComputeState has a struct in its chain that does not belong there: "
                         "sType 0x00000002");
    wgpuShaderModuleRelease(bad);
    wgpuShaderModuleRelease(none);
    wgpuShaderModuleRelease(one);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_constants(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, shader);
    WGPUComputePipelineDescriptor d = descriptor(m, "main");
    WGPUConstantEntry c[3] = {constant("7", 1.5), constant("size", 8), constant("7", 1)};
    d.compute.constants = c;
    d.compute.constantCount = 1;
    expect_good(fx, &d);
    d.compute.constantCount = 2;
    expect_good(fx, &d);
    d.compute.constantCount = 0;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(fx->device, &d);
    assert_int_equal(fx->nerrors, 1);           /* `scale` has no value */
    assert_int_equal(fx->errors[0].type, WGPUErrorType_Validation);
    assert_non_null(strstr(fx->errors[0].message, "scale"));
    fx->nerrors = 0;
    wgpuComputePipelineRelease(p);
    d.compute.constantCount = 3;
    static const struct { const char *key; double value; const char *part; } wrong[] = {
        {"7", 1, "7"}, {"scale", 1, "scale"}, {"nothing", 1, "nothing"},
        {NULL, 1, "''"}, {"size", -1, "size"}, {"size", 1e10, "size"},
    };
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        c[1] = constant("size", 8);
        c[2] = constant(wrong[i].key, wrong[i].value);
        if (wrong[i].key && strcmp(wrong[i].key, "size") == 0)
            c[1] = c[2], c[2] = constant("7", 2), d.compute.constantCount = 2;
        p = wgpuDeviceCreateComputePipeline(fx->device, &d);
        assert_false(p->base.valid);
        assert_int_equal(fx->nerrors, 1);
        assert_int_equal(fx->errors[0].type, WGPUErrorType_Validation);
        assert_non_null(strstr(fx->errors[0].message, wrong[i].part));
        fx->nerrors = 0;
        wgpuComputePipelineRelease(p);
    }
    d.compute.constantCount = 1;
    c[0].value = INFINITY;
    expect_wrong(fx, &d, "the constant '7' is not finite");
    c[0].value = NAN;
    expect_wrong(fx, &d, "the constant '7' is not finite");
    c[0] = constant("7", 1);
    c[0].nextInChain = &(WGPUChainedStruct){NULL, 2};
    expect_wrong(fx, &d, "WGPUConstantEntry has a struct in its chain that does not belong there: "
                         "sType 0x00000002");
    c[0] = (WGPUConstantEntry){NULL, {NULL, 3}, 1};
    expect_wrong(fx, &d, "the key of a constant is NULL with a length of 3");
    d.compute.constants = NULL;
    expect_wrong(fx, &d, "constants is NULL with a count of 1");
    d.compute.constants = c;
    d.compute.constantCount = SIZE_MAX;
    expect_wrong(fx, &d, "18446744073709551615 constants are too many");
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_limits_of_workgroups(void **state)
{
    (void)state;
    static const struct { const char *code, *fault; } rows[] = {
        {"@compute @workgroup_size(256) fn f() {}", NULL},
        {"@compute @workgroup_size(1, 1, 64) fn f() {}", NULL},
        {"@compute @workgroup_size(257) fn f() {}",
         "the workgroup size 257 is above maxComputeWorkgroupSizeX, 256"},
        {"@compute @workgroup_size(1, 300) fn f() {}",
         "the workgroup size 300 is above maxComputeWorkgroupSizeY, 256"},
        {"@compute @workgroup_size(1, 1, 65) fn f() {}",
         "the workgroup size 65 is above maxComputeWorkgroupSizeZ, 64"},
        {"@compute @workgroup_size(16, 16, 2) fn f() {}",
         "a workgroup of 16 * 16 * 2 invocations is above maxComputeInvocationsPerWorkgroup, 256"},
        {"var<workgroup> w: array<u32, 4096>;"
         "@compute @workgroup_size(1) fn f() { _ = w[0]; }", NULL},
        {"var<workgroup> w: array<u32, 4096>; var<workgroup> x: u32;"
         "@compute @workgroup_size(1) fn f() { _ = w[0]; }", NULL},
        {"var<workgroup> w: array<u32, 4096>; var<workgroup> x: u32;"
         "@compute @workgroup_size(1) fn f() { _ = w[0]; _ = x; }",
         "16400 bytes of workgroup variables are above maxComputeWorkgroupStorageSize, 16384"},
    };
    Fixture *fx = fixture_open(NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUShaderModule m = make_module(fx, rows[i].code);
        WGPUComputePipelineDescriptor d = descriptor(m, NULL);
        expect_pipeline(fx, &d, WGPUErrorType_Validation, rows[i].fault);
        wgpuShaderModuleRelease(m);
    }
    fixture_close(fx);
}

/* ---- layouts ---- */

static WGPUBindGroupLayout layout_of(Fixture *fx, uint32_t binding, WGPUBufferBindingType type,
                                     WGPUShaderStage stages, uint64_t min_size)
{
    WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    e.binding = binding;
    e.visibility = stages;
    e.buffer.type = type;
    e.buffer.minBindingSize = min_size;
    WGPUBindGroupLayoutDescriptor d = {.entryCount = 1, .entries = &e};
    return wgpuDeviceCreateBindGroupLayout(fx->device, &d);
}

static void test_bindings_against_a_layout(void **state)
{
    (void)state;
    static const struct {
        uint32_t              group, binding;
        WGPUBufferBindingType type;
        WGPUShaderStage       stages;
        uint64_t              min_size;
        const char           *fault;
    } rows[] = {
        {1, 2, WGPUBufferBindingType_Uniform, 4, 0, NULL},
        {1, 2, WGPUBufferBindingType_Uniform, 7, 32, NULL},
        {1, 2, WGPUBufferBindingType_Uniform, 4, 4096, NULL},
        {0, 2, WGPUBufferBindingType_Uniform, 4, 0,
         "'u' has @group(1) @binding(2), which the layout does not have"},
        {1, 3, WGPUBufferBindingType_Uniform, 4, 0,
         "'u' has @group(1) @binding(2), which the layout does not have"},
        {1, 2, WGPUBufferBindingType_Storage, 4, 0,
         "'u', @group(1) @binding(2), is a uniform buffer, and the layout says storage"},
        {1, 2, WGPUBufferBindingType_ReadOnlyStorage, 4, 0,
         "'u', @group(1) @binding(2), is a uniform buffer, and the layout says read-only storage"},
        {1, 2, WGPUBufferBindingType_Uniform, 3, 0,
         "'u', @group(1) @binding(2), is not visible to compute shaders"},
        {1, 2, WGPUBufferBindingType_Uniform, 4, 16,
         "'u', @group(1) @binding(2), needs 32 bytes, and the layout's minBindingSize is 16"},
    };
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(
        fx, "struct S { a: vec4<f32>, b: u32 } @group(1) @binding(2) var<uniform> u: S;"
            "@compute @workgroup_size(1) fn f() { _ = u.b; }");
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBindGroupLayout group = layout_of(fx, rows[i].binding, rows[i].type, rows[i].stages,
                                              rows[i].min_size);
        WGPUBindGroupLayout groups[2] = {NULL, NULL};
        groups[rows[i].group] = group;
        WGPUPipelineLayoutDescriptor ld = {.bindGroupLayoutCount = 2, .bindGroupLayouts = groups};
        WGPUComputePipelineDescriptor d = descriptor(m, NULL);
        d.layout = wgpuDeviceCreatePipelineLayout(fx->device, &ld);
        expect_pipeline(fx, &d, WGPUErrorType_Validation, rows[i].fault);
        wgpuPipelineLayoutRelease(d.layout);
        wgpuBindGroupLayoutRelease(group);
    }
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_immediate_data_against_a_layout(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "var<immediate> i: vec3<f32>;"
                                         "@compute @workgroup_size(1) fn f() { _ = i.x; }");
    WGPUPipelineLayoutDescriptor ld = {.immediateSize = 8};
    WGPUComputePipelineDescriptor d = descriptor(m, NULL);
    d.layout = wgpuDeviceCreatePipelineLayout(fx->device, &ld);
    expect_wrong(fx, &d, "the shader has 12 bytes of immediate data, and the layout's "
                         "immediateSize is 8");
    wgpuPipelineLayoutRelease(d.layout);
    ld.immediateSize = 12;
    d.layout = wgpuDeviceCreatePipelineLayout(fx->device, &ld);
    expect_good(fx, &d);
    wgpuPipelineLayoutRelease(d.layout);
    ld.immediateSize = 6;
    d.layout = wgpuDeviceCreatePipelineLayout(fx->device, &ld);
    fx->nerrors = 0;
    expect_wrong(fx, &d, "the layout is an error object");
    wgpuPipelineLayoutRelease(d.layout);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_automatic_layouts(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, shader);
    WGPUComputePipelineDescriptor d = descriptor(m, "main");
    WGPUConstantEntry c = constant("7", 1);
    d.compute.constants = &c;
    d.compute.constantCount = 1;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(fx->device, &d);
    WGPUComputePipeline q = wgpuDeviceCreateComputePipeline(fx->device, &d);
    wait_for_kernel(fx, &d);
    assert_int_equal(null_counts.kernels, 1);   /* compiled once */
    WGPUBindGroupLayout g0 = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBindGroupLayout g1 = wgpuComputePipelineGetBindGroupLayout(p, 1);
    WGPUBindGroupLayout g2 = wgpuComputePipelineGetBindGroupLayout(p, 2);
    WGPUBindGroupLayout g3 = wgpuComputePipelineGetBindGroupLayout(p, 3);
    WGPUBindGroupLayout other = wgpuComputePipelineGetBindGroupLayout(q, 0);
    expect_none(fx);
    assert_int_equal(g0->nentries, 2);
    assert_int_equal(g0->entries[0].type, WGPUBufferBindingType_ReadOnlyStorage);
    assert_int_equal(g0->entries[0].min_size, 4);
    assert_int_equal(g0->entries[1].binding, 3);
    assert_int_equal(g0->entries[1].type, WGPUBufferBindingType_Storage);
    assert_int_equal(g0->entries[1].visibility, WGPUShaderStage_Compute);
    assert_int_equal(g1->nentries, 0);
    assert_int_equal(g2->nentries, 1);
    assert_int_equal(g2->entries[0].min_size, 32);
    assert_int_equal(g3->nentries, 0);
    assert_true(g0->exclusive && g0->exclusive == g2->exclusive);
    assert_false(layout_equal(g0, other));      /* each pipeline's is its own */
    WGPUBindGroupEntry e[3] = {{.binding = 0}, {.binding = 3}, {.binding = 7}};
    WGPUBindGroupDescriptor more = {.layout = g0, .entryCount = 3, .entries = e};
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &more));
    expect_fault(fx, "bind group: binding 7 is not in the layout, which has only those that "
                     "the pipeline's entry point uses");
    WGPUBindGroupLayout again = wgpuComputePipelineGetBindGroupLayout(p, 0);
    assert_true(layout_equal(g0, again));
    WGPUBindGroupLayout groups[] = {g0};
    WGPUPipelineLayoutDescriptor ld = {.bindGroupLayoutCount = 1, .bindGroupLayouts = groups};
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &ld));
    expect_fault(fx, "pipeline layout: group 0: the layout was made by a pipeline with an "
                     "automatic layout and belongs to it");
    groups[0] = g1;                             /* an empty one is anybody's */
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &ld));
    WGPUBindGroupLayout none = wgpuComputePipelineGetBindGroupLayout(p, 4);
    expect_fault(fx, "compute pipeline 'p': the group index 4 must be below maxBindGroups, 4");
    assert_false(none->base.valid);
    wgpuBindGroupLayoutRelease(none);
    WGPUBindGroupLayout all[] = {g0, g1, g2, g3, other, again};
    for (size_t i = 0; i < COUNTOF(all); i++)
        wgpuBindGroupLayoutRelease(all[i]);
    wgpuComputePipelineRelease(p);
    wgpuComputePipelineRelease(q);
    d.compute.entryPoint = sv("nowhere");
    p = wgpuDeviceCreateComputePipeline(fx->device, &d);
    expect_fault(fx, "compute pipeline 'p': the module has no entry point 'nowhere'; there is "
                     "'main'");
    none = wgpuComputePipelineGetBindGroupLayout(p, 0);
    expect_fault(fx, "compute pipeline 'p': it is an error object and has no bind group layouts");
    wgpuBindGroupLayoutRelease(none);
    wgpuComputePipelineRelease(p);
    assert_null(wgpuComputePipelineGetBindGroupLayout(NULL, 0));
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_automatic_layouts_that_cannot_be(void **state)
{
    (void)state;
    static const struct { const char *code, *fault; } rows[] = {
        {"@group(4) @binding(0) var<uniform> a: u32;"
         "@compute @workgroup_size(1) fn f() { _ = a; }",
         "'a' has @group(4), which must be below maxBindGroups, 4"},
        {"@group(0) @binding(1000) var<uniform> a: u32;"
         "@compute @workgroup_size(1) fn f() { _ = a; }",
         "'a' has @binding(1000), which must be below maxBindingsPerBindGroup, 1000"},
        {"@group(4294967295) @binding(4294967295) var<uniform> a: u32;"
         "@compute @workgroup_size(1) fn f() { }", NULL},
        {"var<immediate> a: mat4x4<f32>; @compute @workgroup_size(1) fn f() { _ = a[0]; }", NULL},
        {"struct S { a: mat4x4<f32>, b: u32 } var<immediate> a: S;"
         "@compute @workgroup_size(1) fn f() { _ = a.b; }",
         "80 bytes of immediate data are above maxImmediateSize, 64"},
        {"@group(0) @binding(0) var t: texture_2d<f32>;"
         "@compute @workgroup_size(1) fn f() { _ = textureDimensions(t); }",
         "'t' is of type texture_2d<f32>; Weft has no textures and samplers"},
        {"@group(0) @binding(0) var s: sampler; @compute @workgroup_size(1) fn f() { _ = s; }",
         "'s' is of type sampler; Weft has no textures and samplers"},
    };
    Fixture *fx = fixture_open(NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUShaderModule m = make_module(fx, rows[i].code);
        if (m->base.valid) {                    /* WGSL bounds @group itself */
            WGPUComputePipelineDescriptor d = descriptor(m, NULL);
            expect_pipeline(fx, &d, WGPUErrorType_Validation, rows[i].fault);
        }
        fx->nerrors = 0;
        wgpuShaderModuleRelease(m);
    }
    char code[2000] = "", uses[1000] = "";
    for (int i = 0; i < 9; i++) {
        sprintf(code + strlen(code), "@group(0) @binding(%d) var<storage> b%d: u32;", i, i);
        sprintf(uses + strlen(uses), "_ = b%d;", i);
    }
    sprintf(code + strlen(code), "@compute @workgroup_size(1) fn f() { %s }", uses);
    WGPUShaderModule m = make_module(fx, code);
    WGPUComputePipelineDescriptor d = descriptor(m, NULL);
    expect_wrong(fx, &d, "9 storage buffers for compute shaders are more than "
                         "maxStorageBuffersPerShaderStage, 8");
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

/* ---- asynchronous creation ---- */

static void test_compiling_keeps_nobody_waiting(void **state)
{
    (void)state;
    static const WGPUCallbackMode modes[] = {WAIT, PROCESS, SPONTANEOUS};
    for (size_t i = 0; i < COUNTOF(modes); i++) {
        Fixture *fx = fixture_open(NULL);
        WGPUShaderModule m = make_module(fx, "override x: u32 = 1;"
                                             "@compute @workgroup_size(x) fn f() {}");
        char key[] = "x";
        WGPUConstantEntry c = {NULL, {key, 1}, 2};
        WGPUComputePipelineDescriptor d = descriptor(m, NULL);
        d.compute.constants = &c;
        d.compute.constantCount = 1;
        Told t = TOLD_INIT, again = TOLD_INIT;
        null_hold_kernels();
        WGPUFuture f = wgpuDeviceCreateComputePipelineAsync(fx->device, &d,
                                                            pipeline_info(&t, modes[i]));
        null_wait_for_kernels(1);
        key[0] = 'y';                           /* the descriptor is ours again */
        c.value = 77;
        WGPUFutureWaitInfo info = {.future = f};
        assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, &info, 0),
                         WGPUWaitStatus_TimedOut);
        wgpuInstanceProcessEvents(fx->instance);
        assert_int_equal(told_count(&t), 0);
        null_let_kernels_go();
        if (modes[i] == SPONTANEOUS)
            told_wait(&t);
        wait_for(fx, f);
        assert_int_equal(t.status, WGPUCreatePipelineAsyncStatus_Success);
        WGPUComputePipeline p = t.object;
        assert_int_equal(p->kernel->workgroup_size[0], 2);
        /* What is compiled already is there at once. */
        key[0] = 'x';
        c.value = 2;
        wgpuDeviceCreateComputePipelineAsync(fx->device, &d, pipeline_info(&again, SPONTANEOUS));
        assert_int_equal(again.count, 1);
        assert_int_equal(null_counts.kernels_made, 1);
        wgpuComputePipelineRelease(again.object);
        wgpuComputePipelineRelease(p);
        wgpuShaderModuleRelease(m);
        fixture_close(fx);
    }
}

typedef struct Racer {
    Fixture         *fx;
    WGPUShaderModule module;
    pthread_t        thread;
} Racer;

static void *race(void *context)
{
    Racer *r = context;
    WGPUComputePipeline p = make_pipeline(r->fx, r->module, NULL);
    assert_true(p->base.valid);
    wgpuComputePipelineRelease(p);
    return NULL;
}

static void test_two_that_want_the_same_compile_once(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "@compute @workgroup_size(1) fn f() {}");
    Racer racers[4];
    null_hold_kernels();
    for (size_t i = 0; i < COUNTOF(racers); i++) {
        racers[i] = (Racer){fx, m, 0};
        pthread_create(&racers[i].thread, NULL, race, &racers[i]);
    }
    null_wait_for_kernels(1);
    null_let_kernels_go();
    for (size_t i = 0; i < COUNTOF(racers); i++)
        pthread_join(racers[i].thread, NULL);
    WGPUComputePipelineDescriptor d = descriptor(m, NULL);
    wait_for_kernel(fx, &d);
    assert_int_equal(null_counts.kernels_made, 1);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_a_lost_device_answers_well(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "@compute @workgroup_size(1) fn f() {}");
    WGPUComputePipelineDescriptor good = descriptor(m, NULL), bad = descriptor(m, "nowhere");
    Told t = TOLD_INIT, u = TOLD_INIT, v = TOLD_INIT;
    null_hold_kernels();
    WGPUFuture f = wgpuDeviceCreateComputePipelineAsync(fx->device, &good,
                                                        pipeline_info(&t, WAIT));
    null_wait_for_kernels(1);
    wgpuDeviceDestroy(fx->device);
    null_let_kernels_go();
    wait_for(fx, f);
    wgpuDeviceCreateComputePipelineAsync(fx->device, &good, pipeline_info(&u, SPONTANEOUS));
    wgpuDeviceCreateComputePipelineAsync(fx->device, &bad, pipeline_info(&v, SPONTANEOUS));
    Told *all[] = {&t, &u, &v};
    for (size_t i = 0; i < COUNTOF(all); i++) {
        assert_int_equal(all[i]->status, WGPUCreatePipelineAsyncStatus_Success);
        assert_non_null(all[i]->object);
        wgpuComputePipelineRelease(all[i]->object);
    }
    wgpuShaderModuleRelease(m);
    m = make_module(fx, "not WGSL at all");
    assert_false(m->base.valid);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_kernels_are_kept_in_bounds(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "override x: u32 = 1;"
                                         "@compute @workgroup_size(1) fn f() { _ = x; }");
    WGPUComputePipelineDescriptor d = descriptor(m, NULL);
    WGPUConstantEntry c = constant("x", 0);
    d.compute.constants = &c;
    d.compute.constantCount = 1;
    for (int i = 0; i < 300; i++) {
        c.value = i;
        wgpuComputePipelineRelease(wgpuDeviceCreateComputePipeline(fx->device, &d));
        wait_for_kernel(fx, &d);
    }
    expect_none(fx);
    assert_int_equal(null_counts.kernels_made, 300);
    assert_true(null_counts.kernels <= 65);
    c.value = 299;                              /* the newest is still there */
    wait_for_kernel(fx, &d);
    assert_int_equal(null_counts.kernels_made, 300);
    c.value = 0;                                /* the oldest is not */
    wait_for_kernel(fx, &d);
    assert_int_equal(null_counts.kernels_made, 301);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules_that_are_wrong),
        cmocka_unit_test(test_features_let_things_be_enabled),
        cmocka_unit_test(test_f64_is_a_feature_of_the_device),
        cmocka_unit_test(test_messages_have_places_in_bytes),
        cmocka_unit_test(test_subgroup_sizes),
        cmocka_unit_test(test_entry_points),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_limits_of_workgroups),
        cmocka_unit_test(test_bindings_against_a_layout),
        cmocka_unit_test(test_immediate_data_against_a_layout),
        cmocka_unit_test(test_automatic_layouts),
        cmocka_unit_test(test_automatic_layouts_that_cannot_be),
        cmocka_unit_test(test_compiling_keeps_nobody_waiting),
        cmocka_unit_test(test_two_that_want_the_same_compile_once),
        cmocka_unit_test(test_a_lost_device_answers_well),
        cmocka_unit_test(test_kernels_are_kept_in_bounds),
    };
    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
